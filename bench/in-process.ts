import { commandCosts } from "./commands.ts";
import { languageCases } from "./languages.ts";
import { loopCosts } from "./loop.ts";
import { type Case, ratios } from "./measure.ts";
import { memoryGrowth } from "./memory.ts";
import { normaliseCases, normaliseGrowth } from "./normalise.ts";
import { pageCosts } from "./page.ts";
import { policyCases } from "./policy.ts";
import { growthCases, protocolCases } from "./protocol.ts";
import { queueCosts } from "./queue.ts";
import { redactionCase } from "./redaction.ts";
import { snapshotCosts } from "./snapshots.ts";
import { runOverhead } from "./spoor-run.ts";
import { atMost, type Row, times } from "./table.ts";
import { webhookCosts } from "./webhooks.ts";

export interface Size {
  turns: number;
  deltas: number;
  rounds: number;
  pieces: number;
  seconds: number;
  runs: number;
  megabytes: number;
  /** Files in the workspace of which snapshots are taken, and how often. */
  files: number;
  snapshots: number;
  /** Events of the run that the page shows. */
  events: number;
}

/**
 * The highest cost that each agent may have, as a multiple of the floor. Other agents print shorter lines than claude,
 * so an event costs more per byte: a zot line has 36 bytes and becomes ten times as many, and each message that amp
 * prints becomes five envelopes.
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
  "a run as AG-UI": 1.8,
  "a run as UI messages of the AI SDK": 1.3,
  "a run as CloudEvents": 1.7,
  "a run as events of Acolyte": 1.25,
  "a run as updates of ACP": 1.8,
  "a run as lines of zot": 1.45,
  "a run as panes of Glasspane": 1.3,
  // These read the whole run before they write.
  "a run as a trace of OpenTelemetry": 2.6,
  "a run as Markdown": 1.7,
  // It marks and bounds every page.
  "a run as pages of MCP": 6.2,
  // It redacts every text again and colours code.
  "a run as an HTML page": 13.5,
  "redact claude's raw lines": 3.5,
  "decide about a file by 40 rules": 20,
  "decide about a shell command by 40 rules": 35,
};
/** Limits: the cost of ten times the length, and the growth of memory after the first tenth of a run. */
const GROWTH = 10.5;
const MEMORY = 1.5;
/** `spoor run` may add the larger of these two to the time of the agent itself. */
const OVERHEAD = { ratio: 1.1, addedMs: 100 };

/** The time of runs through the queue. */
const QUEUE = { start: 3, many: 6 };
const CONCURRENT_RUNS = 100;

/** The time of turns of our own loop, and of many of its runs at once. */
const LOOP = { turn: 1.5, many: 20 };

/** The time of a command to a run in another process. */
const COMMAND = 3;

/** The time of appends beside a receiver of webhooks that is away, and of a delivery. */
const WEBHOOK = { away: 1.25, delivered: 6 };

/** The time of snapshots. */
const SNAPSHOT = { first: 2, later: 1.3, compared: 1.6 };

/** The groups that run in this process. */
export const inProcess: Readonly<Record<string, (size: Size) => Iterable<Row> | AsyncIterable<Row>>> = {
  *protocol(size) {
    for (const { floor, work } of protocolCases(size.turns)) {
      const found = ratios([floor, ...work], size.rounds);
      const on = `a mixed run of ${size.turns} rounds`;
      for (const { name } of work) yield row(name, found.get(name), floor.name, goals[name], on);
    }
  },
  *normalise(size) {
    for (const { floor, work, file } of normaliseCases(size.pieces)) {
      yield row(work.name, ratios([floor, work], size.rounds).get(work.name), floor.name, goals[work.name], file);
    }
  },
  async *languages(size) {
    for (const { floor, work } of await languageCases(size.turns)) {
      const found = ratios([floor, ...work], size.rounds);
      for (const { name } of work)
        yield row(name, found.get(name), floor.name, goals[name], `a run of ${size.turns} rounds`);
    }
  },
  *redaction(size) {
    const { floor, work, file } = redactionCase(size.pieces);
    yield row(work.name, ratios([floor, work], size.rounds).get(work.name), floor.name, goals[work.name], file);
  },
  async *policy(size) {
    const { floor, file, parsing, shell, on } = await policyCases();
    yield row(file.name, ratios([floor, file], size.rounds).get(file.name), floor.name, goals[file.name], on);
    yield row(shell.name, ratios([parsing, shell], size.rounds).get(shell.name), parsing.name, goals[shell.name], on);
  },
  *growth(size) {
    for (const { name, short, long } of growthCases(size.deltas))
      yield growth(size, name, short, long, "one long answer");
    for (const { name, short, long, file } of normaliseGrowth(size.pieces)) yield growth(size, name, short, long, file);
  },
  async *memory(size) {
    const { ratio, peakMb } = await memoryGrowth(size.megabytes);
    const what = `memory of a live run of ${size.megabytes} MB`;
    yield row(what, ratio, "after its first tenth", MEMORY, `peak ${peakMb.toFixed(0)} MB`);
  },
  async *run(size) {
    const { ratio, addedMs } = await runOverhead(size.seconds, size.runs);
    yield {
      what: "spoor run",
      figure: times(ratio),
      against: "the program alone",
      goal: `≤ ${OVERHEAD.ratio}× or + ${OVERHEAD.addedMs} ms`,
      isMet: ratio <= OVERHEAD.ratio || addedMs <= OVERHEAD.addedMs,
      on: `adds ${addedMs.toFixed(0)} ms to ${size.seconds} s`,
    };
  },
  async *loop(size) {
    const { turn, many } = await loopCosts(Math.min(size.runs, 5), CONCURRENT_RUNS);
    const each = `${turn.loopMs.toFixed(0)} ms a turn against ${turn.bareMs.toFixed(0)} ms`;
    yield atMost("a turn of our loop, stored", turn.ratio, "the provider's bare stream", { goal: LOOP.turn }, each);
    const figures = `${many.perSecond.toFixed(1)} runs/s, +${many.addedMb.toFixed(0)} MB, order intact`;
    yield atMost(
      `${CONCURRENT_RUNS} demo runs at once`,
      many.ratio,
      "one demo run alone",
      { goal: LOOP.many },
      figures,
    );
  },
  async *queue(size) {
    const { start, many } = await queueCosts(size.runs, CONCURRENT_RUNS);
    const ms = `${start.queuedMs.toFixed(1)} ms; the bare spawn takes ${start.bareMs.toFixed(1)} ms`;
    yield row("queued command until it starts", start.ratio, "a bare spawn until it exits", QUEUE.start, ms);
    const rate = `${many.perSecond.toFixed(0)} runs a second, + ${many.addedMb.toFixed(0)} MB`;
    yield row(`${CONCURRENT_RUNS} concurrent runs`, many.ratio, "as many bare spawns", QUEUE.many, rate);
  },
  async *commands(size) {
    const { ratio, commandMs, bareMs } = await commandCosts(size.runs * 10);
    const on = `${commandMs.toFixed(1)} ms; the bare exchange takes ${bareMs.toFixed(1)} ms`;
    yield row("command to effect in another process", ratio, "two commits and a bare round trip", COMMAND, on);
  },
  async *webhooks(size) {
    const { away, delivered } = await webhookCosts(size.rounds, size.runs * 200);
    const held = `${away.events.toLocaleString("en")} events wait in the log; the cursor holds ${away.runs} runs`;
    yield row("append beside a webhook that is away", away.ratio, "append alone", WEBHOOK.away, held);
    const rate = `${delivered.perSecond.toFixed(0)} deliveries a second`;
    yield row("append and webhook", delivered.ratio, "append and a bare POST", WEBHOOK.delivered, rate);
  },
  async *snapshot(size) {
    const { first, later, compared, statusMs } = await snapshotCosts(size.files, size.snapshots);
    const on = `${size.files} files; git status takes ${statusMs.toFixed(0)} ms`;
    const status = "git status in the same round";
    yield row("first snapshot of a workspace, seeded", first, status, SNAPSHOT.first, on);
    yield row("snapshot of a workspace", later, status, SNAPSHOT.later, on);
    yield row("snapshot with the bytes of its changes", compared, status, SNAPSHOT.compared, on);
  },
  page: ({ events, seconds }) => pageCosts({ events, seconds: seconds * 5 }),
};

const row = (what: string, ratio = Number.NaN, against: string, goal = Number.NaN, on: string): Row =>
  atMost(what, ratio, against, { goal }, on);

/** The short case repeats the work ten times on a tenth of the data. */
function growth({ rounds }: Size, name: string, short: Case<unknown>, long: Case<unknown>, on: string): Row {
  const ratio = 10 * (ratios([short, long], rounds).get(long.name) ?? Number.NaN);
  return row(`${name}, 10× the length`, ratio, "the same with 1×", GROWTH, on);
}
