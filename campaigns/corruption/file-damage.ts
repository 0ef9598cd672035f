import { closeSync, copyFileSync, openSync, readFileSync, rmSync, truncateSync, writeSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LogError } from "../../packages/spoor/src/log/errors.ts";
import type { Log } from "../../packages/spoor/src/log/log.ts";
import { openLogSync } from "../../packages/spoor/src/log/open.ts";
import { logFile } from "../../packages/spoor/src/log/sqlite/connection.ts";
import { createRun, draft, linesOf, readWhole } from "../../packages/spoor/testing/log/drafts.ts";
import type { Damage } from "../corruption.ts";

const KEY = "a key that was used once";

interface Known {
  lines: string[];
  record: unknown;
}

/**
 * Flips one bit of a small log's file, or truncates it. Afterwards every event is read as it was written, or a gap stands
 * in its place, or the log reports damage; two reads of an event return the same bytes; and an append under a used
 * idempotency key is not stored again.
 */
export async function createFileDamage(): Promise<Damage> {
  const pristine = await mkdtemp(join(tmpdir(), "spoor-whole-"));
  const directory = await mkdtemp(join(tmpdir(), "spoor-flip-"));
  const { runs, keyed } = await makeLog(pristine);
  const size = readFileSync(logFile(pristine)).length;

  return {
    async attack(random, count) {
      restore(pristine, directory);
      const offset = Math.floor(random() * size);
      const isCut = random() < 0.1;
      const bit = Math.floor(random() * 8);
      if (isCut) truncateSync(logFile(directory), offset);
      else flip(directory, offset, bit);
      count(isCut ? "files cut" : "bits flipped");
      const what = isCut ? `file cut at ${offset}` : `bit ${bit} of byte ${offset} flipped`;
      const { outcome, failures } = await judge(directory, runs, keyed);
      count(outcome);
      return failures.map((failure) => `${what}: ${failure}`);
    },
    async close() {
      await rm(pristine, { recursive: true });
      await rm(directory, { recursive: true });
    },
  };
}

async function makeLog(directory: string) {
  const log = openLogSync({ directory });
  for (let index = 0; index < 3; index++) {
    const run_id = await createRun(log, 8);
    for (let commit = 0; commit < 4; commit++)
      await log.append([{ run_id, drafts: [draft(`c${commit}`), draft("d")] }]);
    await log.append([{ run_id, drafts: [], facts: { status: "completed", title: "whole" } }]);
  }
  const keyed = await createRun(log, 1);
  await log.append([{ run_id: keyed, drafts: [draft("once")], idempotency_key: KEY }]);
  const runs = new Map<string, Known>();
  for (const { run_id } of (await log.runs()).runs) {
    const lines = linesOf(await readWhole((after) => log.read(run_id, { after })));
    runs.set(run_id, { lines, record: await log.run(run_id) });
  }
  await log.close();
  return { runs, keyed };
}

function restore(from: string, to: string): void {
  for (const end of ["-wal", "-shm", ".last"]) rmSync(`${logFile(to)}${end}`, { force: true });
  for (const end of ["", ".marks"]) copyFileSync(`${logFile(from)}${end}`, `${logFile(to)}${end}`);
}

function flip(directory: string, offset: number, bit: number): void {
  const bytes = readFileSync(logFile(directory));
  const file = openSync(logFile(directory), "r+");
  writeSync(file, Buffer.from([(bytes[offset] ?? 0) ^ (1 << bit)]), 0, 1, offset);
  closeSync(file);
}

async function judge(directory: string, runs: ReadonlyMap<string, Known>, keyed: string) {
  const failures: string[] = [];
  let log: Log | undefined;
  try {
    log = openLogSync({ directory });
    let isReported = false;
    let isWhole = true;
    for (const [run_id, { lines, record }] of runs) {
      const found = await readRun(log, run_id, lines, failures);
      isReported ||= found.gaps > 0;
      isWhole &&= found.isWhole;
      const now = await log.run(run_id).catch(acceptLogError);
      if (JSON.stringify(now) !== JSON.stringify(record)) isWhole = false;
      if (now && "damaged" in now) isReported = true;
    }
    if (!isWhole && !isReported) {
      // Verify reports damage that readers cannot see.
      const verdicts = await verify(log).catch(acceptLogError);
      if (verdicts?.every(({ damage }) => damage.length === 0))
        failures.push("events are missing, but neither a gap nor verify reports it");
    }
    const outcome = isWhole ? "harmless" : "reported";
    await retry(log, keyed, runs.get(keyed)?.lines[1] ?? "", failures);
    return { outcome, failures };
  } catch (error) {
    acceptLogError(error);
    return { outcome: "refused", failures };
  } finally {
    await log?.close();
  }
}

async function readRun(log: Log, run_id: string, lines: readonly string[], failures: string[]) {
  const found = await readWhole((after) => log.read(run_id, { after })).then(linesOf, acceptLogError);
  if (!found) return { isWhole: false, gaps: 0 };
  let next = 0;
  let gaps = 0;
  for (const line of found) {
    const { type, sequence, data } = JSON.parse(line);
    if (type === "gap.events_lost") {
      gaps += 1;
      if (data.first_lost_sequence !== next) failures.push(`a gap begins at ${data.first_lost_sequence}, not ${next}`);
    } else if (line !== lines[next]) failures.push(`event ${next} of ${run_id} has other bytes than were written`);
    next = sequence + 1;
  }
  for (let after = -1; after < lines.length; after += 3) {
    const rest = await readWhole((cursor) => log.read(run_id, { after: cursor }), after).then(linesOf, acceptLogError);
    const due = found.filter((line) => JSON.parse(line).sequence > after);
    if (rest?.join("\n") !== due.join("\n")) failures.push(`reading ${run_id} after ${after} gives other bytes`);
  }
  return { isWhole: gaps === 0 && next === lines.length, gaps };
}

/** Checks that the log recognises or refuses the retry. */
async function retry(log: Log, run_id: string, line: string, failures: string[]): Promise<void> {
  const receipts = await log.append([{ run_id, drafts: [draft("once")], idempotency_key: KEY }]).catch(acceptLogError);
  const [receipt] = receipts ?? [];
  if (receipt && !receipt.repeated) failures.push("a retry under a damaged idempotency key was stored again");
  const { sequence } = JSON.parse(line);
  if (receipt?.repeated && receipt.first_sequence !== sequence) failures.push("a retry got a receipt of another event");
}

async function verify(log: Log) {
  const verdicts = [];
  for await (const verdict of log.upkeep.verify()) verdicts.push(verdict);
  return verdicts;
}

/** Only errors that the log itself defines count as a report. */
function acceptLogError(error: unknown): undefined {
  if (!(error instanceof LogError)) throw error;
  return undefined;
}
