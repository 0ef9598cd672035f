import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createStreamChecker } from "../packages/protocol/src/index.ts";
import { readEnvelopes } from "../packages/spoor/src/log/envelopes.ts";
import type { Log } from "../packages/spoor/src/log/log.ts";
import { openLog } from "../packages/spoor/src/log/open.ts";
import { isOver } from "../packages/spoor/src/log/records.ts";
import { loop } from "../packages/spoor/src/loop/loop-kind.ts";
import { findModel } from "../packages/spoor/src/loop/providers/index.ts";
import { Worker } from "../packages/spoor/src/runtime/queue/worker.ts";
import { createAndStart } from "../packages/spoor/src/runtime/tasks/index.ts";

interface LoopCosts {
  /** The turns of a run, against the bare streams of the same model; and the milliseconds of a turn. */
  turn: { ratio: number; loopMs: number; bareMs: number };
  /** Runs at the same time, against one alone; runs per second and memory that they added. */
  many: { ratio: number; perSecond: number; addedMb: number };
}

const MODEL = "demo/sprint";
const TURNS = 5;

/** Measures runs of our loop with a scripted model that speaks as fast as a fast one. Throws if events are out of order. */
export async function loopCosts(rounds: number, runs: number): Promise<LoopCosts> {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), "spoor-bench-loop-")));
  const directory = path.join(home, "data");
  const log = await openLog({ directory });
  const worker = new Worker({ log, directory, concurrency: runs, kinds: [loop] });
  const perform = async (): Promise<string> => {
    const spec = { kind: "agent_loop", prompt: "Go.", model: MODEL, workspace: { path: home, share: true } } as const;
    const { run_id } = await createAndStart({ log, directory, by: "bench", kinds: [loop] }, spec);
    await ended(log, run_id);
    return run_id;
  };
  try {
    await perform();
    const bare: number[] = [];
    const turns: number[] = [];
    const alone: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      bare.push((await timed(bareStreams)).ms);
      const { ms, made: run_id } = await timed(perform);
      alone.push(ms);
      turns.push(await turnsMs(log, run_id));
    }
    const before = process.memoryUsage.rss();
    const { ms: manyMs, made: ids } = await timed(() => Promise.all(Array.from({ length: runs }, perform)));
    const addedMb = Math.max(0, process.memoryUsage.rss() - before) / 1024 ** 2;
    for (const run_id of ids) await requireOrder(log, run_id);
    return {
      turn: { ratio: median(turns) / median(bare), loopMs: median(turns) / TURNS, bareMs: median(bare) / TURNS },
      many: { ratio: manyMs / median(alone), perSecond: (runs / manyMs) * 1_000, addedMb },
    };
  } finally {
    await worker.close();
    await log.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Plays the turns of the script, and does nothing with them. */
async function bareStreams(): Promise<void> {
  const { model } = await findModel(MODEL, {});
  const tools = [{ type: "function" as const, name: "todo_write", inputSchema: {} }];
  const said = { role: "assistant" as const, content: [{ type: "text" as const, text: "…" }] };
  for (let turn = 0; turn < TURNS; turn += 1) {
    const prompt = [
      { role: "user" as const, content: [{ type: "text" as const, text: "Go." }] },
      ...Array(turn).fill(said),
    ];
    const { stream } = await model.doStream({ prompt, tools });
    for await (const _ of stream as unknown as AsyncIterable<unknown>) {
      // Only the time counts.
    }
  }
}

/** From the first turn's start to the last one's end, as they are stored. */
async function turnsMs(log: Log, run_id: string): Promise<number> {
  const times: number[] = [];
  for await (const { occurred_at } of readEnvelopes(log, { run_id, match: isTurn }))
    times.push(Date.parse(occurred_at));
  return (times.at(-1) ?? Number.NaN) - (times[0] ?? Number.NaN);
}

const isTurn = (type: string): boolean => type === "turn.started" || type === "turn.completed";

/** Every run completed, and its events keep the contract. */
async function requireOrder(log: Log, run_id: string): Promise<void> {
  const status = (await log.run(run_id))?.status;
  const checker = createStreamChecker();
  const findings = [];
  for await (const envelope of readEnvelopes(log, { run_id })) findings.push(...checker.add(envelope));
  findings.push(...checker.end());
  if (status === "completed" && findings.length === 0) return;
  throw new Error(`${run_id} is ${status}: ${JSON.stringify(findings[0] ?? {})}`);
}

async function ended(log: Log, run_id: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const unwatch = log.watch((piece) => {
    if (piece.run_id === run_id && piece.eventTypes?.has("task.updated")) resolve();
  });
  const run = await log.run(run_id);
  if (run && isOver(run)) resolve();
  await promise;
  unwatch();
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; made: T }> {
  const start = performance.now();
  const made = await work();
  return { ms: performance.now() - start, made };
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
