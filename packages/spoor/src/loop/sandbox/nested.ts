import { lstatSync, readdirSync, renameSync, type Stats } from "node:fs";
import path from "node:path";
import { builtinRules } from "../../runtime/policy/builtin.ts";
import { pathForm, touchesPath } from "../../runtime/policy/paths.ts";
import { gitMasksIn, linkTargetOf, type Mask, SETTINGS, targetMasks } from "./masks.ts";
import { inPinnedFolder } from "./pinned-folder.ts";
import { isTameRepository } from "./tame-repository.ts";
import { type NamedPlace, type ScanOptions, WorkspaceScan } from "./workspace-scan.ts";

/** What commands must not change below the top of a workspace: nested repositories, submodules, and settings of agents. */
export interface Nested {
  /** Protects what is there, for one command. */
  protect(): NestedHold;
  /** Why something is not protected. */
  readonly weakness?: string;
}

export interface NestedHold {
  readonly masks: readonly Mask[];
  /** Puts aside what appeared meanwhile. Returns the paths that it had. Call it when the command has ended. */
  settle(): readonly string[];
}

/** Each mount makes the next one slower, so that there cannot be any number of them. */
const MAX_MOUNTS = 200;
/** A new folder of settings that holds more is put aside as a whole. */
const MAX_FILES = 1000;

const TOPS = new Map(SETTINGS.map(([name]) => [name.split("/")[0] ?? name, name]));

/** Watches over what the built-in rules protect below the top of a workspace. Commands do not see the `hidden` folders. */
export function createNested(
  root: string,
  hidden: readonly string[],
  limits: Pick<ScanOptions, "maxFolders"> & { maxMounts?: number } = {},
): Nested {
  const open = new Set([...TOPS].filter(([top, name]) => top !== name).map(([top]) => top));
  const scan = new WorkspaceScan({
    ...{ root, names: new Set([".git", ...TOPS.keys()]), open, except: new Set(hidden), ...limits },
  });
  const { maxMounts = MAX_MOUNTS } = limits;
  const first = scan.look();
  const isTooMuch =
    first.isCut || first.places.flatMap((place) => masksAt(root, place)).filter(isMount).length > maxMounts;
  return {
    ...(isTooMuch && { weakness: TOO_MUCH }),
    protect() {
      const masks = scan.look().places.flatMap((place) => masksAt(root, place));
      const mounts = masks.filter(isMount).slice(0, maxMounts);
      const known = new Set(masks.filter(isMount).flatMap(({ path: each }) => idOf(each) ?? []));
      const links = new Map(
        masks.filter(({ is }) => is === "link").map(({ path: each }) => [each, linkTargetOf(each)] as const),
      );
      const isKnown = (place: string): boolean =>
        known.has(idOf(place) ?? "") || (links.has(place) && links.get(place) === linkTargetOf(place));
      return {
        masks: [...mounts, ...masks.filter(({ is }) => is === "link")],
        settle: () =>
          scan
            .look({ opens: true })
            .places.flatMap((place) => newIn(place, isKnown))
            .filter(putAside),
      };
    },
  };
}

const TOO_MUCH =
  "This workspace is so large that repositories and settings of agents deep inside it are not all protected from commands.";

const isMount = ({ is }: Mask): boolean => is !== "link" && is !== "absent";

/** What is there now and must stay as it is. */
function masksAt(root: string, { path: place, name }: NamedPlace): readonly Mask[] {
  const file = name === ".git" ? place : path.join(path.dirname(place), TOPS.get(name) ?? name);
  const found = statOf(file);
  if (found === undefined) return [];
  if (found.isSymbolicLink()) return [{ path: file, is: "link" }, ...targetMasks(root, file)];
  if (!found.isDirectory()) return [{ path: file, is: "file" }];
  if (name !== ".git") return [{ path: file, is: "folder" }];
  const inside = gitMasksIn(file).filter(({ path: each, is }) => is !== "absent" && statOf(each));
  return [{ path: file, is: "fixed" }, ...inside];
}

/** The paths that were not there, or that are something else now. */
function newIn({ path: place, name }: NamedPlace, isKnown: (place: string) => boolean): string[] {
  if (name === ".git") return newInGit(place, isKnown);
  const file = path.join(path.dirname(place), TOPS.get(name) ?? name);
  const found = statOf(file);
  if (found === undefined || isKnown(file)) return [];
  if (!found.isDirectory()) return found.isSymbolicLink() || isProtected(file) ? [file] : [];
  const files = filesIn(file);
  return files.length > MAX_FILES ? [file] : files.filter(isProtected);
}

/** Everything in a folder but folders. Stops when there is too much. */
function filesIn(folder: string): string[] {
  const files: string[] = [];
  const folders = [folder];
  for (
    let next = folders.pop();
    next !== undefined && files.length + folders.length <= MAX_FILES;
    next = folders.pop()
  ) {
    for (const entry of readdirSync(next, { withFileTypes: true })) {
      (entry.isDirectory() ? folders : files).push(path.join(next, entry.name));
    }
  }
  return [...files, ...folders];
}

/** A new repository stays if git runs nothing of its choice. */
function newInGit(place: string, isKnown: (place: string) => boolean): string[] {
  if (!statOf(place)?.isDirectory()) return isKnown(place) ? [] : [place];
  if (!isKnown(place)) return isTameRepository(place) ? [] : [place];
  return gitMasksIn(place)
    .map(({ path: each }) => each)
    .filter((each) => statOf(each) && !isKnown(each));
}

/** The new thing keeps its content under another name: somebody else may have made it while the command ran. */
function putAside(place: string): boolean {
  const isDone = inPinnedFolder(path.dirname(place), (at) => {
    const names = Array.from({ length: 1000 }, (_, index) => `${path.basename(place)}.undone${index || ""}`);
    const free = names.find((name) => statOf(at(name)) === undefined);
    if (free === undefined) return false;
    renameSync(at(path.basename(place)), at(free));
    return true;
  });
  return isDone === true;
}

const RULES = builtinRules("/nowhere");
const PLACES = { workspace: "/", home: "/nowhere" };

const isProtected = (file: string): boolean => RULES.some((rule) => touchesPath(rule, pathForm(file), PLACES));

function statOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    // A part of its path is not a folder any more.
    return undefined;
  }
}

function idOf(file: string): string | undefined {
  const found = statOf(file);
  return found && !found.isSymbolicLink() ? `${found.dev}:${found.ino}` : undefined;
}
