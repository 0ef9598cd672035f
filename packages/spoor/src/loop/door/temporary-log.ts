import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { SpoorError } from "../../failures/errors.ts";
import { openLog } from "../../log/open.ts";
import { createWorkerCheck, ownWorkerId } from "../../runtime/worker.ts";
import type { OpenedLog } from "./performer.ts";

/** A folder for runs of the loop that nobody wants to keep. */
export interface TemporaryLog {
  open(): Promise<OpenedLog>;
  remove(): void;
}

/**
 * Makes a data directory that is removed again: also a run that is not kept needs a log while it works. The user's rules hold
 * there, and it protects the user's own data directory as that one protects itself.
 */
export function createTemporaryLog(own: string): TemporaryLog {
  let directory: string | undefined;
  const remove = (): void => {
    if (directory !== undefined) removeFolder(directory);
    directory = undefined;
  };
  return {
    async open() {
      directory ??= makeFolder();
      copyRules(own, directory);
      const opened = directory;
      const log = await openLog({ directory: opened });
      return { log, directory: opened, release: () => log.close() };
    },
    remove,
  };
}

const shared = new Map<string, TemporaryLog>();

/** The temporary log of this process, which all its clients share, so that a program with many clients has one folder. */
export function sharedTemporaryLog(own: string): TemporaryLog {
  const found = shared.get(own) ?? createTemporaryLog(own);
  shared.set(own, found);
  return found;
}

const PREFIX = "spoor-unrecorded-";
/** Says which process made the folder. */
const OWNER = "owner";

/** The folders of this process, which are removed when it ends. */
const folders = new Set<string>();

function makeFolder(): string {
  if (folders.size === 0) process.on("exit", removeAll);
  removeLeftovers();
  const made = mkdtempSync(path.join(tmpdir(), PREFIX));
  folders.add(made);
  writeFileSync(path.join(made, OWNER), ownWorkerId(), { mode: 0o600 });
  return made;
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  folders.delete(folder);
  if (folders.size === 0) process.off("exit", removeAll);
}

function removeAll(): void {
  for (const folder of [...folders]) removeFolder(folder);
}

/** A process that was killed could not remove its folder. */
function removeLeftovers(): void {
  let isGone: ReturnType<typeof createWorkerCheck> | undefined;
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = path.join(tmpdir(), name);
    try {
      const owner = readFileSync(path.join(folder, OWNER), "utf8");
      isGone ??= createWorkerCheck();
      if (isGone(owner)) rmSync(folder, { recursive: true, force: true });
    } catch {
      // It is another user's, or its process is just making or removing it.
    }
  }
}

/** Rules may have changed since the last run. A run that reads them meanwhile finds the old ones or the new ones. */
function copyRules(own: string, folder: string): void {
  const protectedFolder = `"${path.resolve(own).replace(/["\\]/g, "\\$&")}/**"`;
  const rules = [`always block read ${protectedFolder}`, `always block write ${protectedFolder}`, userRules(own)];
  replace(path.join(folder, "policy.rules"), rules.join("\n"));
  copy(own, folder, "trust.json");
}

const userRules = (own: string): string => read(path.join(own, "policy.rules")) ?? "";

function copy(from: string, to: string, name: string): void {
  const content = read(path.join(from, name));
  if (content !== undefined) replace(path.join(to, name), content);
}

function replace(file: string, content: string): void {
  writeFileSync(`${file}.new`, content, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    const message = `${file} cannot be read, so its rules would not hold: ${(cause as Error).message}`;
    throw new SpoorError("CONFIG_ERROR", message, { cause });
  }
}
