import { lstatSync, readlinkSync } from "node:fs";
import path from "node:path";
import { agentFiles } from "../../runtime/policy/builtin.ts";
import { isInside } from "../../runtime/policy/paths.ts";
import { realPathOf } from "./hidden-places.ts";

/**
 * Something in the workspace that a command must not change, because programs outside the sandbox trust it.
 *
 * - `fixed`: a folder that stays where it is. A command can change what is in it.
 * - `file`, `folder`: read-only. If it is absent, an empty one stands there while the command runs.
 * - `link`: a link that is made anew if the command replaced it, because nothing can be mounted on a link.
 * - `absent`: a file that is removed if the command made it, because git does not work with an empty one.
 */
export interface Mask {
  readonly path: string;
  readonly is: "fixed" | "file" | "folder" | "link" | "absent";
}

/** What git runs and obeys in a repository, besides the folder itself. */
const GIT: readonly (readonly [name: string, is: Mask["is"]])[] = [
  ["hooks", "folder"],
  ["config", "file"],
  ["config.worktree", "file"],
  ["modules", "folder"],
  ["worktrees", "folder"],
  ["commondir", "absent"],
];

/** The settings of agents: folders as a whole, and single files. */
export const SETTINGS: readonly (readonly [name: string, is: Mask["is"]])[] = settingsIn(agentFiles);

/** Lists what commands must not change in a workspace. Folders come before what is in them. */
export function masksOf(root: string): readonly Mask[] {
  return [
    ...gitMasks(path.join(root, ".git"), root),
    ...SETTINGS.flatMap(([name, is]) => settingMasks(root, name, is)),
  ];
}

/** What a command must not change in a git directory, wherever it is. */
export const gitMasksIn = (folder: string): readonly Mask[] =>
  GIT.map(([name, is]) => ({ path: path.join(folder, name), is }));

/** A workspace without git gets an empty read-only `.git`, which git does not take for a repository. */
function gitMasks(file: string, root: string): readonly Mask[] {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return [{ path: file, is: "folder" }];
  if (found.isDirectory()) return [{ path: file, is: "fixed" }, ...gitMasksIn(file)];
  if (!found.isSymbolicLink()) return [{ path: file, is: "file" }];
  const target = realPathOf(file);
  const isWithin = target !== undefined && target !== root && isInside(target, root);
  return [
    { path: file, is: "link" },
    ...(isWithin ? [{ path: target, is: "fixed" as const }, ...gitMasksIn(target)] : []),
  ];
}

/** A setting that is there or could be made, and the folders above it. */
export function settingMasks(root: string, name: string, is: Mask["is"]): readonly Mask[] {
  const parts = name.split("/");
  const masks: Mask[] = [];
  for (const depth of parts.keys()) {
    const each = path.join(root, ...parts.slice(0, depth + 1));
    const found = lstatSync(each, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) return [...masks, { path: each, is: "link" }, ...targetMasks(root, each)];
    if (depth === parts.length - 1) masks.push({ path: each, is: found?.isFile() ? "file" : is });
    else masks.push({ path: each, is: "fixed" });
  }
  return masks;
}

/** What a link in the workspace points to is read-only, too. */
export function targetMasks(root: string, link: string): readonly Mask[] {
  const target = realPathOf(link);
  if (target === undefined || target === root || !isInside(target, root)) return [];
  const isFolder = lstatSync(target, { throwIfNoEntry: false })?.isDirectory();
  return [{ path: target, is: isFolder ? "folder" : "file" }];
}

/** Reads the patterns of the built-in rules. A pattern that ends in `.claude/settings.json` protects the folder `.claude`. */
function settingsIn(lines: readonly string[]): (readonly [string, Mask["is"]])[] {
  const patterns = lines.flatMap((line) => line.split(" ")).filter((each) => each.startsWith("**/"));
  const names = patterns
    .map((each) => each.slice("**/".length))
    .flatMap(withoutBraces)
    .map((each) => (each.includes("/") ? path.posix.dirname(each.replace(/\/\*\*$/, "/x")) : each));
  const whole = [...new Set(names)].filter(
    (each, _, all) => !all.some((other) => other !== each && isInside(each, other)),
  );
  const isFile = new Set(patterns.map((each) => each.slice("**/".length)).filter((each) => !each.includes("/")));
  return whole.map((each) => [each, isFile.has(each) ? "file" : "folder"]);
}

function withoutBraces(pattern: string): string[] {
  const found = /^(.*)\{([^}]*)\}(.*)$/.exec(pattern);
  return found ? (found[2] ?? "").split(",").map((each) => `${found[1]}${each}${found[3]}`) : [pattern];
}

/** What a link points to, as it is written. */
export const linkTargetOf = (file: string): string | undefined => {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
};
