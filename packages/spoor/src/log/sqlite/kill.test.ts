import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Log } from "../log.ts";
import { openLog } from "../open.ts";
import { eventsOf, linesOf, readWhole } from "../testing/drafts.ts";
import { builtIn } from "./migrate.ts";

/** More of them: `SPOOR_KILLS=10000 npm test -- kill`. */
const KILLS = Number(process.env.SPOOR_KILLS ?? 40);
const AT_ONCE = 2;
const writer = fileURLToPath(new URL("../testing/programs/writer.ts", import.meta.url));

let directory = "";
let steps = 0;
/** What was acknowledged: the notes of each run, by sequence. */
const acked = new Map<string, Map<number, string>>();
/** What a reader saw while the writers were at it: lines by run and sequence. */
const seen = new Map<string, string>();

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "spoor-kill-"));
});
afterEach(() => rm(directory, { recursive: true }));

it(`loses nothing that was acknowledged or seen when writers are killed ${KILLS} times`, {
  timeout: 1_500_000,
}, async () => {
  let log = open();
  let stop = follow(log);
  for (let kill = 0; kill < KILLS; kill += AT_ONCE) {
    // Now and then the writers bring a newer schema, and nobody else can have the log open under an older one.
    if (kill % 20 === 10) {
      stop();
      await log.close();
      steps += 1;
    }
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => writeAndDie(kill + index)));
    if (kill % 20 === 10) {
      log = open();
      stop = follow(log);
    }
    await check(log, kill);
  }
  stop();
  await log.close();
  const total = [...acked.values()].reduce((sum, run) => sum + run.size, 0);
  expect(Math.min(total, seen.size)).toBeGreaterThan(KILLS);
  await check(open(), KILLS, true);
});

/** A writer that lives for a random, short while. */
async function writeAndDie(number: number): Promise<void> {
  const args = ["--conditions=source", "--disable-warning=ExperimentalWarning", writer];
  const child = spawn(process.execPath, [...args, directory, `w${number}`, String(number + 1), String(steps)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ready = Promise.withResolvers<void>();
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => note(line, ready.resolve));
  await Promise.race([ready.promise, died(child)]);
  // Some die at once, some after hundreds of commits.
  await sleep(((number * 37) % 50) ** 2 / 25);
  child.kill("SIGKILL");
  await Promise.all([died(child), once(lines, "close")]);
  expect(child.signalCode).toBe("SIGKILL");
}

const died = (child: ChildProcess) => (child.exitCode ?? child.signalCode) === null && once(child, "close");

function note(line: string, ready: () => void): void {
  let said: { acked?: { run_id: string; texts: string[]; first_sequence: number }[] };
  try {
    said = JSON.parse(line);
  } catch {
    // It died in the middle of a word.
    return;
  }
  ready();
  for (const { run_id, texts, first_sequence } of said.acked ?? []) {
    const run = acked.get(run_id) ?? new Map<number, string>();
    acked.set(run_id, run);
    for (const [index, text] of texts.entries()) run.set(first_sequence + index, text);
  }
}

const migrations = () => [
  ...builtIn(),
  ...Array.from({ length: steps }, (_, step) => ({ version: builtIn().length + step + 1, sql: "SELECT 1" })),
];

const open = () => openLog({ directory, migrations: migrations(), pollMs: 1 });

function follow(log: Log): () => void {
  return log.watch((piece) => {
    for (const line of linesOf([piece])) seen.set(`${piece.run_id} ${JSON.parse(line).sequence}`, line);
  });
}

async function check(log: Log, kill: number, everything = false): Promise<void> {
  for (const [run_id, notes] of acked) {
    // Old runs are looked at now and then, and at the end.
    if (!everything && kill % 40 !== 0 && [...acked.keys()].indexOf(run_id) < acked.size - 10) continue;
    const pieces = await readWhole((after) => log.read(run_id, { after }));
    const events = eventsOf(pieces);
    const lines = linesOf(pieces);
    const first = events[0]?.type === "gap.events_pruned" ? (events[0].sequence as number) : -1;
    const sequences = events.map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.map((_, index) => Math.max(first, 0) + index));
    for (const [sequence, text] of notes) {
      if (sequence <= first) continue;
      const index = sequence - Math.max(first, 0);
      expect(events[index]?.data.note).toBe(text);
      const before = seen.get(`${run_id} ${sequence}`);
      if (before !== undefined) expect(lines[index]).toBe(before);
    }
    for await (const { damage } of log.upkeep.verify(run_id)) expect(damage).toEqual([]);
  }
  // Whatever anyone saw belongs to a run that is there.
  for (const place of everything ? seen.keys() : []) {
    const [run_id = "", sequence = ""] = place.split(" ");
    expect((await log.run(run_id))?.last_sequence).toBeGreaterThanOrEqual(Number(sequence));
  }
}
