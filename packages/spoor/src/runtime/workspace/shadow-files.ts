import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { isInside } from "./git-program.ts";

/** What the git folder of a shadow repository is made of. */
export interface ShadowFiles {
  /** The git folder of the shadow. */
  store: string;
  /** The folder whose files git sees. */
  root: string;
  /** The user's object folder, from which known contents are read instead of being stored again. */
  alternate?: string | undefined;
  /** Further lines with patterns of ignored files, from the user's own settings. */
  ignored: string;
  /** Folders that are never looked at, such as Spoor's own data. */
  except: readonly string[];
  /** The user's settings, of which a few describe the file system. */
  settings?: ReadonlyMap<string, string> | undefined;
}

/** Writes the git folder by hand: that is faster than `git init`, and no template can add anything. */
export function writeShadow({ store, root, alternate, ignored, except, settings }: ShadowFiles): void {
  for (const folder of ["objects/info", "refs", "info"]) mkdirSync(path.join(store, folder), { recursive: true });
  const files: Record<string, string> = {
    HEAD: "ref: refs/heads/shadow\n",
    config: configOf(settings),
    // These beat the attributes of the tree itself: no filter runs, and the stored bytes are those of the file.
    "info/attributes": "* -text -eol -crlf -filter -ident -working-tree-encoding\n",
    "info/exclude": [ignored, ...except.flatMap((folder) => patternOf(root, folder))].join("\n"),
    ...(alternate !== undefined && { "objects/info/alternates": `${alternate}\n` }),
  };
  for (const [name, text] of Object.entries(files)) writeIfDifferent(path.join(store, name), text);
  if (alternate === undefined) rmSync(path.join(store, "objects/info/alternates"), { force: true });
}

/**
 * Gives this process an index of its own, so that several runs can use one shadow. It starts as a copy of the last one, or of
 * `seed`. The time of a copied index must not grow: git trusts files that are older than their index.
 */
export function ownIndex(store: string, seed?: string): { index: string; isSeeded: boolean } {
  removeLeftovers(store);
  const index = path.join(store, `index.${process.pid}.${Date.now().toString(36)}.${count++}`);
  const last = path.join(store, LAST_INDEX);
  const from = existsSync(last) ? last : seed;
  if (from === undefined) return { index, isSeeded: false };
  try {
    const { mtimeMs } = statSync(from);
    copyFileSync(from, index);
    const seconds = Math.floor(mtimeMs) / 1000;
    utimesSync(index, seconds, seconds);
    return { index, isSeeded: true };
  } catch {
    rmSync(index, { force: true });
    return { index, isSeeded: false };
  }
}

/** Keeps the index for the next run. */
export function keepIndex(store: string, index: string): void {
  try {
    renameSync(index, path.join(store, LAST_INDEX));
  } catch {
    // No snapshot was taken.
  }
}

const LAST_INDEX = "index";
let count = 0;

/** Removes the indexes of processes that were killed. */
function removeLeftovers(store: string): void {
  for (const name of readdirSync(store)) {
    const pid = /^index\.(\d+)\./.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(path.join(store, name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Settings that describe the user's file system. All others keep their defaults. */
const COPIED = ["core.filemode", "core.symlinks", "core.ignorecase", "core.precomposeunicode"];

function configOf(settings: ReadonlyMap<string, string> | undefined): string {
  const copied = COPIED.flatMap((key) => {
    const value = settings?.get(key);
    return value === "true" || value === "false" ? [`\t${key.slice("core.".length)} = ${value}\n`] : [];
  });
  return (
    `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\thooksPath = /dev/null\n\tfsmonitor = false\n` +
    `\tautocrlf = false\n\tsafecrlf = false\n\tuntrackedCache = false\n\tcompression = 1\n` +
    // The objects are a cache, so nothing waits for the disk.
    `\tfsync = none\n${copied.join("")}[index]\n\tversion = 4\n\tskipHash = true\n[gc]\n\tauto = 0\n`
  );
}

/** A line for `info/exclude` that means one folder and nothing else. */
function patternOf(root: string, folder: string): string[] {
  if (!isInside(root, folder) || root === folder) return [];
  const relative = path.relative(root, folder).split(path.sep).join("/");
  return relative.includes("\n") ? [] : [`/${relative.replace(/[\\*?[\]!# ]/g, "\\$&")}/`];
}

function writeIfDifferent(file: string, text: string): void {
  try {
    if (readFileSync(file, "utf8") === text) return;
  } catch {
    // It does not exist yet.
  }
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, file);
}
