import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseStat, startTimeOf } from "../../process/process-table.ts";
import type { Mask } from "./masks.ts";

/**
 * Something can be mounted only on what exists. So absent files and folders that a command must not make stand in the
 * workspace as empty placeholders while commands run. Outside `.git` all of them are folders, which git does not see.
 *
 * `<data directory>/sandbox/placeholders/<workspace>` lists them with the processes that need them. The last process removes
 * them, or, if that was killed, the next one that opens a sandbox.
 */
export function holdPlaceholders(directory: string, root: string, masks: readonly Mask[]): () => void {
  const folder = path.join(stateFolder(directory), createHash("sha256").update(root).digest("hex").slice(0, 32));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const holds = (held.get(folder) ?? 0) + 1;
  held.set(folder, holds);
  writeFileSync(path.join(folder, holderName()), "", { mode: 0o600 });
  const absent = masks.filter(({ path: each, is }) => is !== "absent" && is !== "link" && !exists(each));
  if (absent.length > 0) {
    // The list is written first, so that what a killed process left is known.
    const known = readList(folder);
    const listed = new Set(known.map(({ path: each }) => each));
    const added = absent.filter(({ path: each }) => !listed.has(each));
    if (added.length > 0) writeFileSync(path.join(folder, LIST), JSON.stringify([...known, ...added]), { mode: 0o600 });
    for (const mask of absent) make(mask, root);
  }
  return () => {
    const left = (held.get(folder) ?? 1) - 1;
    held.set(folder, left);
    if (left > 0) return;
    held.delete(folder);
    rmSync(path.join(folder, holderName()), { force: true });
    clear(folder);
  };
}

/** Removes the placeholders of processes that were killed. */
export function sweepPlaceholders(directory: string): void {
  for (const name of list(stateFolder(directory))) clear(path.join(stateFolder(directory), name));
}

/** How many commands of this process need the placeholders of a workspace. */
const held = new Map<string, number>();

const stateFolder = (directory: string): string => path.join(directory, "sandbox", "placeholders");
const holderName = (): string => `${process.pid}-${startTimeOf(process.pid)}`;
const LIST = "list.json";

function make({ path: file, is }: Mask, root: string): void {
  try {
    const isFile = is === "file" && path.relative(root, file).split(path.sep)[0] === ".git";
    if (isFile) writeFileSync(file, "", { flag: "wx", mode: 0o600 });
    else mkdirSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Removes the placeholders of a workspace if no process needs them any more. What is no longer empty stays. */
function clear(folder: string): void {
  const isNeeded = list(folder).some((name) => {
    const [, pid = "", started] = /^(\d+)-(.*)$/.exec(name) ?? [];
    return pid !== "" && isAlive(pid, started);
  });
  if (isNeeded) return;
  for (const { path: file } of readList(folder).reverse()) {
    try {
      const found = lstatSync(file);
      if (found.isDirectory()) rmdirSync(file);
      else if (found.isFile() && found.size === 0) unlinkSync(file);
    } catch {
      // It is gone, or somebody put something into it.
    }
  }
  rmSync(folder, { recursive: true, force: true });
}

/** A process that was killed is in the table until its parent has noticed. */
function isAlive(pid: string, started: string | undefined): boolean {
  try {
    const row = parseStat(readFileSync(`/proc/${pid}/stat`, "latin1"));
    return row !== undefined && !row.isZombie && row.started === started;
  } catch {
    return false;
  }
}

function readList(folder: string): Mask[] {
  try {
    return JSON.parse(readFileSync(path.join(folder, LIST), "utf8")) as Mask[];
  } catch {
    return [];
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const exists = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false }) !== undefined;
