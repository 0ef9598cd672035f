import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
} from "node:fs";
import path from "node:path";
import { type IgnoreRules, isIgnored, withRules } from "./ignored.ts";

/** A file that was found. `open` opens it without following a link. */
export interface FoundFile {
  path: string;
  read(most: number): Buffer | undefined;
}

export interface WalkLimits {
  /** How many names are looked at. */
  entries: number;
  depth: number;
}

/** What was not looked at. */
export interface WalkGaps {
  isCut: boolean;
  /** There is no file or folder where the search starts. */
  isMissing: boolean;
}

/**
 * Goes through the files of a folder in the order of their names, without those that git ignores, without `.git`, and without
 * following links. Every folder is opened relative to the open one above it, so that a folder that is swapped for a link
 * meanwhile leads nowhere.
 */
export function* walk(root: string, start: string, limits: WalkLimits, gaps: WalkGaps): Generator<FoundFile> {
  const parts = start === "." ? [] : start.split("/");
  const left = { entries: limits.entries };
  const folder = openFolder(root);
  if (folder === undefined) return;
  yield* into(folder, root, "", parts, rulesOf(folder, root, "", []), { depth: limits.depth, left, gaps });
}

interface Walking {
  depth: number;
  left: { entries: number };
  gaps: WalkGaps;
}

/** Closes the folder. `way` are the names that lead to the folder or file where the search starts. */
function* into(
  folder: number,
  place: string,
  prefix: string,
  way: readonly string[],
  rules: IgnoreRules,
  walking: Walking,
): Generator<FoundFile> {
  try {
    if (walking.depth === 0) {
      walking.gaps.isCut = true;
      return;
    }
    const [next, ...rest] = way;
    for (const entry of next === undefined ? entriesOf(at(folder, place, ".")) : [next]) {
      const name = typeof entry === "string" ? entry : entry.name;
      walking.left.entries -= 1;
      if (walking.left.entries < 0) walking.gaps.isCut = true;
      if (walking.gaps.isCut) return;
      if (name.toLowerCase() === ".git") continue;
      const found = typeof entry === "string" ? lstatSync(at(folder, place, name), { throwIfNoEntry: false }) : entry;
      const file = `${prefix}${name}`;
      const isChosen = next !== undefined;
      if (found?.isFile() && rest.length === 0 && (isChosen || !isIgnored(rules, file)))
        yield { path: file, read: (most) => read(at(folder, place, name), most) };
      if (isChosen && !found?.isDirectory() && !(found?.isFile() && rest.length === 0)) walking.gaps.isMissing = true;
      if (!found?.isDirectory() || (!isChosen && isIgnored(rules, `${file}/`))) continue;
      const inner = openFolder(at(folder, place, name));
      if (inner === undefined) continue;
      // Somebody who searches in an ignored folder wants to see what is in it.
      const known = isChosen && isIgnored(rules, `${file}/`) ? [] : rules;
      const own = rulesOf(inner, path.join(place, name), `${file}/`, known);
      yield* into(inner, path.join(place, name), `${file}/`, rest, own, { ...walking, depth: walking.depth - 1 });
    }
  } finally {
    closeSync(folder);
  }
}

/** The entries of a folder by name. Most systems tell their kinds at once; where they do not, Node asks for each. */
const entriesOf = (folder: string): Dirent[] =>
  readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));

const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const HAS_FD_PATHS = process.platform === "linux" && existsSync("/proc/self/fd");
const MAX_RULES = 256 * 1024;

/** A path of a name in an open folder that does not go through any name above it, where the system has such paths. */
const at = (folder: number, place: string, name: string): string =>
  HAS_FD_PATHS ? `/proc/self/fd/${folder}/${name}` : path.join(place, name);

function openFolder(place: string): number | undefined {
  try {
    return openSync(place, constants.O_RDONLY | NO_FOLLOW | (constants.O_DIRECTORY ?? 0));
  } catch {
    // It may not be looked at, or is gone.
    return undefined;
  }
}

function rulesOf(folder: number, place: string, prefix: string, known: IgnoreRules): IgnoreRules {
  const own = read(at(folder, place, ".gitignore"), MAX_RULES);
  return own && own.length > 0 ? withRules(known, prefix, own.toString("utf8")) : known;
}

/** The bytes of a regular file; undefined if it is larger, or cannot be read. */
function read(file: string, most: number): Buffer | undefined {
  let opened: number | undefined;
  try {
    opened = openSync(file, constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0));
    const found = fstatSync(opened);
    if (!found.isFile() || found.size > most) return undefined;
    const bytes = Buffer.alloc(found.size);
    let filled = 0;
    while (filled < bytes.length) {
      const count = readSync(opened, bytes, filled, bytes.length - filled, filled);
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  } catch {
    return undefined;
  } finally {
    if (opened !== undefined) closeSync(opened);
  }
}
