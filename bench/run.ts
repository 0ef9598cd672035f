// Prints what the hot paths cost as ratios against a floor measured in the same run, and whether each goal is met.
// `--quick` is a smoke test; `--megabytes 1000` sends a gigabyte through a live run instead of 300 MB.

import { parseArgs } from "node:util";
import { type Case, ratios } from "./measure.ts";
import { memoryGrowth } from "./memory.ts";
import { normaliseCases, normaliseGrowth } from "./normalise.ts";
import { growthCases, protocolCases } from "./protocol.ts";
import { runOverhead } from "./spoor-run.ts";

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, megabytes: { type: "string", default: "300" } },
});
const size = values.quick
  ? { turns: 5, deltas: 200, rounds: 3, copies: 2, seconds: 0.1, runs: 1, megabytes: 2 }
  : { turns: 150, deltas: 5_000, rounds: 15, copies: 400, seconds: 1, runs: 7, megabytes: Number(values.megabytes) };

/** What each may cost at most, beside its floor. The others print shorter lines than claude, so each event weighs more. */
const goals: Record<string, number> = {
  "check AgentEvents": 1.25,
  "map AgentEvents to stored bytes": 3,
  "check envelopes": 2.5,
  "fold envelopes to a view": 1.25,
  "normalise claude to stored bytes": 2.5,
  "normalise codex to stored bytes": 4,
  "normalise gemini to stored bytes": 4.5,
  "normalise pi to stored bytes": 2.5,
};
/** Ten times the length may cost this many times as much; and memory may grow this much after the first tenth. */
const GROWTH = 10.5;
const MEMORY = 1.5;
/** `spoor run` may add the greater of these to an agent's own time. */
const OVERHEAD = { ratio: 1.1, addedMs: 100 };

interface Row {
  what: string;
  figure: string;
  against: string;
  goal: string;
  isMet: boolean;
  /** The stream or the recording it was measured on. */
  on: string;
}

const rows: Row[] = [];

for (const { floor, work } of protocolCases(size.turns)) {
  const found = ratios([floor, ...work], size.rounds);
  for (const { name } of work)
    add(name, found.get(name), floor.name, goals[name], `a mixed run of ${size.turns} rounds`);
}
for (const { floor, work, file } of normaliseCases(size.copies)) {
  add(work.name, ratios([floor, work], size.rounds).get(work.name), floor.name, goals[work.name], file);
}
for (const { name, short, long } of growthCases(size.deltas)) addGrowth(name, short, long, "one long answer");
for (const { name, short, long, file } of normaliseGrowth(size.copies)) addGrowth(name, short, long, file);

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
print(rows);

function add(what: string, ratio = Number.NaN, against: string, goal = Number.NaN, on: string): void {
  rows.push({ what, figure: times(ratio), against, goal: `≤ ${goal}×`, isMet: ratio <= goal, on });
}

/** The short case is the same work ten times over, on a tenth. */
function addGrowth(name: string, short: Case<unknown>, long: Case<unknown>, on: string): void {
  const ratio = 10 * (ratios([short, long], size.rounds).get(long.name) ?? Number.NaN);
  add(`${name}, 10× the length`, ratio, "the same with 1×", GROWTH, on);
}

function times(ratio: number): string {
  return `${ratio.toFixed(2)}×`;
}

function print(all: readonly Row[]): void {
  const cells = [
    ["what", "figure", "against", "goal", "", "on"],
    ...all.map((row) => [row.what, row.figure, row.against, row.goal, row.isMet ? "met" : "MISSED", row.on]),
  ];
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  for (const row of cells) {
    const padded = row.map((cell, n) => (n === 1 ? cell.padStart(widths[n] ?? 0) : cell.padEnd(widths[n] ?? 0)));
    console.log(padded.join("  ").trimEnd());
  }
}
