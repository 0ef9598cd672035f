import { createHash } from "node:crypto";
import { readdir, readFile, rename, rm, rmdir } from "node:fs/promises";
import path from "node:path";
import type { Log } from "../../log/log.ts";
import { isOver } from "../../log/records.ts";
import { createWorkerCheck, ownWorkerId } from "../worker.ts";
import { readBeneath } from "./beneath.ts";
import { type PendingFile, pendingFile, placeOf } from "./pending-file.ts";
import { type FileEdit, isSame } from "./plan.ts";
import { revisionOf } from "./store.ts";
import {
  missingFolders,
  type PlannedWrite,
  removeTemporaries,
  replaceFiles,
  type StepListener,
  temporaryName,
  writeTemporaries,
} from "./write-files.ts";
import { writeWhole } from "./write-whole.ts";

/** A change of files by a call of a run. */
export interface CallChange {
  /** The data directory. */
  directory: string;
  run_id: string;
  call_id: string;
  root: string;
  /** Called when all new contents are written, before the first file is replaced. Throws if nothing may be replaced. */
  check(writes: readonly PlannedWrite[]): Promise<void>;
  /** Called before each step. Tests end the process there. */
  onStep?: StepListener | undefined;
}

/** What is stored of a change before its first step. The new contents are in the temporary files. */
interface StoredChange {
  call_id: string;
  /** The process that makes it. */
  worker: string;
  root: string;
  files: readonly StoredFile[];
  /** Folders that did not exist before. */
  folders: readonly string[];
  /** It failed, so what was replaced is put back. */
  isGoingBack?: true;
}

interface StoredFile extends PendingFile {
  /** Holds the old content while it is put back. */
  back: string;
}

/** How a change ended that was cut off: all files are before it, or after it, or somebody else changed one meanwhile. */
export interface SettledChange {
  call_id: string;
  outcome: "undone" | "finished" | "conflict";
  paths: readonly string[];
}

/**
 * Changes files: all of them, or none, also if the process is killed at any moment and the run is taken up later. What is
 * about to happen is stored first. It is kept until the next change or the end of the run, because the result of the call
 * is stored later.
 */
export async function changeCallFiles(change: CallChange, edits: readonly FileEdit[]): Promise<void> {
  const { directory, run_id, call_id, root, onStep = () => {} } = change;
  const changing = edits.filter(({ before, after }) => !isSame(before, after));
  const writes = changing.map((edit) => ({ ...edit, temporary: temporaryName(), back: temporaryName() }));
  const stored: StoredChange = {
    ...{
      call_id,
      worker: ownWorkerId(),
      root,
      files: writes.map((write) => ({ ...pendingFile(write), back: write.back })),
    },
    folders: await missingFolders(root, writes),
  };
  const file = path.join(folderOf(directory, run_id), `${createHash("sha256").update(call_id).digest("hex")}.json`);
  await forgetCallChanges(directory, run_id);
  onStep("intent");
  await writeWhole(file, encoded(stored));
  const done: typeof writes = [];
  try {
    await writeTemporaries(root, writes, () => {}, onStep);
    onStep("check");
    await change.check(writes);
    for (const write of writes) {
      await replaceFiles(root, [write], onStep);
      done.push(write);
    }
  } catch (error) {
    await putBack(root, done, () => writeWhole(file, encoded({ ...stored, isGoingBack: true })), onStep);
    await clean(stored);
    await rm(file, { force: true });
    throw error;
  }
  onStep("events");
  await rename(file, `${file}.finished`);
}

async function putBack(
  root: string,
  done: readonly (PlannedWrite & { back: string })[],
  decide: () => Promise<void>,
  onStep: StepListener,
): Promise<void> {
  if (done.length === 0) return;
  const inverse = done.toReversed().map(({ path: each, before, after, back }): PlannedWrite => {
    return { path: each, temporary: back, before: after, after: before };
  });
  try {
    await writeTemporaries(root, inverse, () => {}, onStep);
    onStep("intent");
    await decide();
    await replaceFiles(root, inverse, onStep);
  } catch (error) {
    const names = done.map((each) => each.path).join(", ");
    throw new Error(
      `The change failed, and not all of ${names} could be put back (${(error as Error).message}). Look at these files.`,
    );
  }
}

/** Settles the changes of a run that were cut off with their process. Those of processes that live are left alone. */
export async function settleCallChanges(
  directory: string,
  run_id: string,
  onStep: StepListener = () => {},
): Promise<SettledChange[]> {
  const folder = folderOf(directory, run_id);
  const names = (await readdir(folder).catch(() => [])).filter((name) => NAME.test(name));
  const isGone = names.length === 0 ? () => true : createWorkerCheck();
  const settled: SettledChange[] = [];
  for (const name of names) {
    const file = path.join(folder, name);
    const stored = JSON.parse(await readFile(file, "utf8")) as StoredChange;
    const known = NAME.exec(name)?.[1] as SettledChange["outcome"] | undefined;
    if (known === undefined && isGone(stored.worker) === false) continue;
    const outcome = known ?? (await settle(stored, onStep));
    settled.push({ call_id: stored.call_id, outcome, paths: stored.files.map((each) => each.path) });
    onStep("events");
    if (known === undefined) await rename(file, `${file}.${outcome}`);
  }
  return settled;
}

/** Forgets the changes of a run that have ended. Call it when the results of their calls are stored. */
export async function forgetCallChanges(directory: string, run_id: string): Promise<void> {
  const folder = folderOf(directory, run_id);
  for (const name of await readdir(folder).catch(() => []))
    if (NAME.exec(name)?.[1] !== undefined || name.endsWith(".tmp")) await rm(path.join(folder, name), { force: true });
  // It stays if a change of another process is stored there.
  await rmdir(folder).catch(() => {});
}

/** Settles the changes of runs that are over: nobody takes these up any more. */
export async function settleEndedRuns(log: Log, directory: string): Promise<void> {
  for (const run_id of await readdir(path.join(directory, "changes")).catch(() => [])) {
    const run = await log.run(run_id);
    if (run && !isOver(run)) continue;
    await settleCallChanges(directory, run_id);
    await forgetCallChanges(directory, run_id);
  }
}

const NAME = /\.json(?:\.(undone|finished|conflict))?$/;

const folderOf = (directory: string, run_id: string): string => path.join(directory, "changes", path.basename(run_id));

const encoded = (stored: StoredChange): Buffer => Buffer.from(JSON.stringify(stored));

async function settle(stored: StoredChange, onStep: StepListener): Promise<SettledChange["outcome"]> {
  const { root, files, isGoingBack = false } = stored;
  try {
    const places = await Promise.all(files.map((each) => placeOf(root, each)));
    const isUnchanged = places.every((place) => place === "before");
    const rest = files.filter((_, at) => places[at] === (isGoingBack ? "after" : "before"));
    const writes = isUnchanged ? [] : await Promise.all(rest.map((each) => writeOf(root, each, isGoingBack)));
    if (!places.includes("other") && !writes.includes(undefined)) {
      await replaceFiles(
        root,
        writes.filter((write) => write !== undefined),
        onStep,
      );
      await clean(stored);
      return isUnchanged || isGoingBack ? "undone" : "finished";
    }
  } catch {
    // The files or their folders cannot be reached any more.
  }
  await clean(stored).catch(() => {});
  return "conflict";
}

/** What is still to be written. Its content is in a temporary file; undefined if that is gone or was changed. */
async function writeOf(root: string, file: StoredFile, isGoingBack: boolean): Promise<PlannedWrite | undefined> {
  const wanted = isGoingBack ? file.before : file.after;
  const temporary = isGoingBack ? file.back : file.temporary;
  const before = await readBeneath(root, file.path);
  if (!wanted) return { path: file.path, temporary, before, after: undefined };
  const beside = path.posix.join(path.posix.dirname(file.path), temporary);
  const after = await readBeneath(root, beside);
  return after && revisionOf(after.bytes) === wanted.revision
    ? { path: file.path, temporary, before, after: { bytes: after.bytes, mode: wanted.mode } }
    : undefined;
}

/** Removes the temporary files, and folders that were made and are empty. */
async function clean({ root, files, folders }: StoredChange): Promise<void> {
  const backs = files.map((each) => ({ path: each.path, temporary: each.back }));
  await removeTemporaries(root, [...files, ...backs], folders);
}
