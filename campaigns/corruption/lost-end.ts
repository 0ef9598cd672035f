import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { AppendReceipt, Log } from "../../packages/spoor/src/log/log.ts";
import { openLogSync } from "../../packages/spoor/src/log/open.ts";
import { logFile } from "../../packages/spoor/src/log/sqlite/connection.ts";
import { draft, linesOf, readWhole } from "../../packages/spoor/testing/log/drafts.ts";
import type { Damage } from "../corruption.ts";

const programs = new URL("../../packages/spoor/testing/log/programs/", import.meta.url);
const program = (name: string): string => fileURLToPath(new URL(name, programs));
const nodeArguments = ["--conditions=spoor-source", "--disable-warning=ExperimentalWarning"];

/** The number of cases that share one log of killed processes. */
const CASES_PER_LOG = 50;
/** One in this many cases uses separate processes; the others open the log several times in this one, which is the same to SQLite. */
const PROCESSES_EVERY = 12;

/** A log as its killed processes left it, and the lines it had served. */
interface Image {
  directory: string;
  /** Lines by run and sequence. */
  served: Map<string, Map<number, string>>;
  lastPosition: number;
}

/**
 * Truncates the write-ahead log of killed processes at a random byte, or flips one of its bits, then opens the log with
 * one or several processes, with or without a later commit. Afterwards every served event is present or inside a gap that
 * verify also reports, new events follow the lost ones, and every process reads the same bytes.
 */
export async function createLostEnd(seed: number): Promise<Damage> {
  const home = await mkdtemp(join(tmpdir(), "spoor-lost-"));
  let image: Image | undefined;
  let cases = 0;

  return {
    async attack(random, count) {
      if (!image || cases % CASES_PER_LOG === 0) image = await makeImage(join(home, `image-${cases}`), seed + cases);
      cases += 1;
      const directory = join(home, "damaged");
      copyLog(image.directory, directory);
      const what = damageWal(directory, random, count);
      const isCommitting = random() < 0.7;
      const openers = 1 + Math.floor(random() * 3);
      const inProcesses = cases % PROCESSES_EVERY === 1;
      const receipts = inProcesses
        ? await reopenInProcesses(directory, openers, isCommitting)
        : await reopenHere(directory, openers, isCommitting);
      count(openers > 1 ? "opened by several" : "opened by one");
      const failures = await judge(directory, image, receipts, count);
      const how = `${what}, ${openers} opening${inProcesses ? " as processes" : ""}, ${isCommitting ? "with" : "without"} a commit`;
      rmSync(directory, { recursive: true });
      return failures.map((failure) => `${how}: ${failure}`);
    },
    close: () => rm(home, { recursive: true }),
  };
}

/** Starts two writers and kills them while they append, before any checkpoint. */
async function makeImage(directory: string, seed: number): Promise<Image> {
  const writing = join(directory, "writing");
  mkdirSync(writing, { recursive: true });
  await Promise.all([1, 2].map((number) => writeAndDie(writing, seed * 10 + number)));
  const left = join(directory, "left");
  copyLog(writing, left);
  // Reading changes the write-ahead log, so the served lines are read from a copy.
  const log = openLogSync({ directory: writing });
  const served = await linesOfAll(log);
  const { lastPosition } = log;
  await log.close();
  return { directory: left, served, lastPosition };
}

const COMMITS = 60;

async function writeAndDie(directory: string, seed: number): Promise<void> {
  const args = [...nodeArguments, program("writer.ts"), directory, `w${seed}`, String(seed), "0"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  let commits = 0;
  for await (const _ of createInterface({ input: child.stdout })) if (++commits === COMMITS) child.kill("SIGKILL");
  await exited;
}

/** Copies the files on disk; the shared-memory file is left out because it dies with its processes. */
function copyLog(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const end of ["", "-wal", ".marks", ".last"]) {
    const file = `${logFile(from)}${end}`;
    if (existsSync(file)) copyFileSync(file, `${logFile(to)}${end}`);
  }
}

function damageWal(directory: string, random: () => number, count: (what: string) => void): string {
  const file = `${logFile(directory)}-wal`;
  const size = statSync(file).size;
  const offset = Math.floor(random() * size);
  if (random() < 0.7) {
    count("write-ahead logs cut");
    truncateSync(file, offset);
    return `write-ahead log cut at ${offset} of ${size}`;
  }
  count("write-ahead logs damaged");
  const bit = Math.floor(random() * 8);
  const bytes = readFileSync(file);
  const handle = openSync(file, "r+");
  writeSync(handle, Buffer.from([(bytes[offset] ?? 0) ^ (1 << bit)]), 0, 1, offset);
  closeSync(handle);
  return `bit ${bit} of byte ${offset} of the write-ahead log flipped`;
}

async function reopenHere(directory: string, openers: number, isCommitting: boolean): Promise<AppendReceipt[]> {
  const logs = Array.from({ length: openers }, () => openLogSync({ directory }));
  const receipts: AppendReceipt[] = [];
  for (const log of isCommitting ? logs : []) {
    for (const { run_id } of (await log.runs()).runs)
      receipts.push(...(await log.append([{ run_id, drafts: [draft("after the loss")] }])));
  }
  for (const log of logs) await log.close();
  return receipts;
}

async function reopenInProcesses(directory: string, openers: number, isCommitting: boolean): Promise<AppendReceipt[]> {
  const args = [...nodeArguments, program("reopen.ts"), directory, isCommitting ? "commit" : ""];
  const receipts = await Promise.all(
    Array.from({ length: openers }, async () => {
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
      return JSON.parse(output) as AppendReceipt[];
    }),
  );
  return receipts.flat();
}

async function judge(
  directory: string,
  image: Image,
  receipts: readonly AppendReceipt[],
  count: (what: string) => void,
): Promise<string[]> {
  const failures: string[] = [];
  const log = openLogSync({ directory });
  try {
    const found = await linesOfAll(log);
    const reported = await lossesOf(log);
    for (const [run_id, lines] of image.served) {
      const last = Math.max(...lines.keys());
      const lost = lostIn(found.get(run_id) ?? new Map());
      for (const [sequence, line] of lines) {
        const now = found.get(run_id)?.get(sequence);
        const isLost = lost.some(([from, to]) => sequence >= from && sequence <= to);
        if (isLost) count("lost events reported");
        // An event that was served as pruned may be back, because the pruning itself was lost.
        else if (now !== line && !line.includes('"type":"gap.events_pruned"'))
          failures.push(
            `event ${sequence} of ${run_id} is ${now === undefined ? "missing without a gap" : "different"}`,
          );
      }
      if (lost.length > 0) count("runs with a gap");
      if (JSON.stringify(lost) !== JSON.stringify(reported.get(run_id) ?? []))
        failures.push(`verify and the gaps of ${run_id} differ`);
      for (const receipt of receipts.filter((receipt) => receipt.run_id === run_id)) {
        if (receipt.first_sequence <= last)
          failures.push(`sequence ${receipt.first_sequence} of ${run_id} was given twice`);
        if (receipt.last_position <= image.lastPosition)
          failures.push(`position ${receipt.last_position} was given twice`);
      }
    }
    const again = openLogSync({ directory });
    const second = await linesOfAll(again);
    await again.close();
    if (JSON.stringify([...second].map(flat)) !== JSON.stringify([...found].map(flat)))
      failures.push("two reads differ");
  } finally {
    await log.close();
  }
  return failures.slice(0, 5);
}

const flat = ([run_id, lines]: [string, Map<number, string>]) => [run_id, [...lines.values()]];

async function linesOfAll(log: Log): Promise<Map<string, Map<number, string>>> {
  const all = new Map<string, Map<number, string>>();
  for (const { run_id } of (await log.runs({ limit: 1_000 })).runs) {
    const lines = linesOf(await readWhole((after) => log.read(run_id, { after })));
    all.set(run_id, new Map(lines.map((line) => [JSON.parse(line).sequence as number, line])));
  }
  return all;
}

function lostIn(lines: ReadonlyMap<number, string>): [first: number, last: number][] {
  return [...lines.values()]
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === "gap.events_lost")
    .map(({ data }) => [data.first_lost_sequence, data.last_lost_sequence]);
}

async function lossesOf(log: Log): Promise<Map<string, [first: number, last: number][]>> {
  const losses = new Map<string, [number, number][]>();
  for await (const { run_id, damage } of log.upkeep.verify()) {
    if (damage.length > 0)
      losses.set(
        run_id,
        damage.map(({ first_sequence, last_sequence }) => [first_sequence, last_sequence]),
      );
  }
  return losses;
}
