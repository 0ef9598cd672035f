// Prints what the hot paths cost as ratios against a floor measured in the same run, and whether each goal is met.
// `--quick` is a smoke test; `--megabytes 1000` sends a gigabyte through a live run instead of 300 MB; `--events 1000000`
// lets a thousand stalled readers miss a million events instead of 100,000; `--peer` installs another server and runs
// beside it.

import { parseArgs } from "node:util";
import { rowsOf } from "./log/group.ts";
import { type Case, ratios } from "./measure.ts";
import { memoryGrowth } from "./memory.ts";
import { normaliseCases, normaliseGrowth } from "./normalise.ts";
import { growthCases, protocolCases } from "./protocol.ts";
import { runOverhead } from "./spoor-run.ts";
import { atMost, printTable, type Row, times } from "./table.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    megabytes: { type: "string", default: "300" },
    events: { type: "string", default: "100000" },
    peer: { type: "boolean", default: false },
  },
});
const size = values.quick
  ? { turns: 5, deltas: 200, rounds: 3, pieces: 100, seconds: 0.1, runs: 1, megabytes: 2 }
  : {
      turns: 150,
      deltas: 5_000,
      rounds: 15,
      pieces: 12_000,
      seconds: 1,
      runs: 15,
      megabytes: Number(values.megabytes),
    };

/**
 * What each may cost at most, beside its floor. The others print shorter lines than claude, so each event weighs more;
 * most so for zot, whose lines of 36 bytes are a tenth of what they become, and for amp, which prints whole messages, each of
 * which becomes five envelopes.
 */
const goals: Record<string, number> = {
  "check AgentEvents": 1.25,
  "map AgentEvents to stored bytes": 3,
  "check envelopes": 2.5,
  "fold envelopes to a view": 1.25,
  "normalise claude to stored bytes": 2.5,
  "normalise codex to stored bytes": 4,
  "normalise gemini to stored bytes": 4.5,
  "normalise pi to stored bytes": 2.5,
  "normalise acp to stored bytes": 4.5,
  "normalise copilot to stored bytes": 3,
  "normalise opencode to stored bytes": 4.5,
  "normalise openclaw to stored bytes": 2.5,
  "normalise omp to stored bytes": 4.5,
  "normalise zot to stored bytes": 6.5,
  "normalise cursor to stored bytes": 3.5,
  "normalise hermes to stored bytes": 5,
  "normalise amp to stored bytes": 10.5,
  "normalise qwen to stored bytes": 3.5,
};
/** Ten times the length may cost this many times as much; and memory may grow this much after the first tenth. */
const GROWTH = 10.5;
const MEMORY = 1.5;
/** `spoor run` may add the greater of these to an agent's own time. */
const OVERHEAD = { ratio: 1.1, addedMs: 100 };

const rows: Row[] = [];

for (const { floor, work } of protocolCases(size.turns)) {
  const found = ratios([floor, ...work], size.rounds);
  for (const { name } of work)
    add(name, found.get(name), floor.name, goals[name], `a mixed run of ${size.turns} rounds`);
}
for (const { floor, work, file } of normaliseCases(size.pieces)) {
  add(work.name, ratios([floor, work], size.rounds).get(work.name), floor.name, goals[work.name], file);
}
for (const { name, short, long } of growthCases(size.deltas)) addGrowth(name, short, long, "one long answer");
for (const { name, short, long, file } of normaliseGrowth(size.pieces)) addGrowth(name, short, long, file);

const { ratio: memory, peakMb } = await memoryGrowth(size.megabytes);
add(
  `memory of a live run of ${size.megabytes} MB`,
  memory,
  "after its first tenth",
  MEMORY,
  `peak ${peakMb.toFixed(0)} MB`,
);

const { ratio, addedMs } = await runOverhead(size.seconds, size.runs);
rows.push({
  what: "spoor run",
  figure: times(ratio),
  against: "the program alone",
  goal: `≤ ${OVERHEAD.ratio}× or + ${OVERHEAD.addedMs} ms`,
  isMet: ratio <= OVERHEAD.ratio || addedMs <= OVERHEAD.addedMs,
  on: `adds ${addedMs.toFixed(0)} ms to ${size.seconds} s`,
});

/** The log and its feeds; each group is a program of its own. */
const groups = ["append", "reads", "http", "fan-out", "stalled", "start", ...(values.peer ? ["peer"] : [])];
for (const name of groups) rows.push(...rowsOf(name, { quick: values.quick, events: Number(values.events) }));
printTable(rows);

function add(what: string, ratio = Number.NaN, against: string, goal = Number.NaN, on: string): void {
  rows.push(atMost(what, ratio, against, { goal }, on));
}

/** The short case is the same work ten times over, on a tenth. */
function addGrowth(name: string, short: Case<unknown>, long: Case<unknown>, on: string): void {
  const ratio = 10 * (ratios([short, long], size.rounds).get(long.name) ?? Number.NaN);
  add(`${name}, 10× the length`, ratio, "the same with 1×", GROWTH, on);
}
