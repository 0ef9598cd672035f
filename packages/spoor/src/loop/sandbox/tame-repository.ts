import { lstatSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Returns whether a git directory names no program, so that git can be used there without running one of its choice. */
export function isTameRepository(folder: string): boolean {
  try {
    const isThere = (name: string): boolean =>
      lstatSync(path.join(folder, name), { throwIfNoEntry: false }) !== undefined;
    if (FOREIGN.some(isThere)) return false;
    const config = path.join(folder, "config");
    if (isThere("config") && !isTameConfig(config)) return false;
    return !isThere("hooks") || areSamples(path.join(folder, "hooks"));
  } catch {
    return false;
  }
}

/** Parts of a git directory that bring further settings and hooks. */
const FOREIGN = ["config.worktree", "commondir", "modules", "worktrees"];

/** Git does not run hooks with this ending. */
function areSamples(folder: string): boolean {
  return lstatSync(folder).isDirectory() && readdirSync(folder).every((name) => name.endsWith(".sample"));
}

/** What `git init`, `git clone` and `git branch` write. */
const TAME: readonly (readonly [section: RegExp, key: RegExp])[] = [
  [/^core$/, /^(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks)$/],
  [/^user$/, /^(name|email)$/],
  [/^remote "[^"\\]*"$/, /^(url|fetch)$/],
  [/^branch "[^"\\]*"$/, /^(remote|merge|rebase)$/],
];

function isTameConfig(file: string): boolean {
  if (!lstatSync(file).isFile()) return false;
  let section = "";
  return readFileSync(file, "utf8")
    .split("\n")
    .every((line) => {
      if (line.trim() === "") return true;
      const head = /^\[([a-z]+(?: "[^"\\\]]*")?)\]$/.exec(line);
      if (head) section = head[1] ?? "";
      const [, key, value] = /^\s+([a-z]+) = ([\w@%+=:,./*~ -]*)$/i.exec(line) ?? [];
      if (head || key === undefined || value === undefined) return head !== null;
      const isPlain = key.toLowerCase() !== "url" || !/^[\w+.-]+::|^-/.test(value);
      return isPlain && TAME.some(([inside, keys]) => inside.test(section) && keys.test(key.toLowerCase()));
    });
}
