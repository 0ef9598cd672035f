import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { findRepository } from "./user-repository.ts";

/** A file from which git takes settings, or that it runs, and what happened to it. */
export interface ChangedSetting {
  path: string;
  change: "created" | "changed" | "deleted";
}

/**
 * Notices that the configuration or the hooks of the repository around a workspace change. No snapshot shows them, since they
 * are git's own files, and what is written there runs later, in the user's own git.
 */
export class GitGuard {
  readonly #folder: string;
  readonly #before: ReadonlyMap<string, string>;

  /** Looks at the files now. They are few and small. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#before = settingsOf(folder);
  }

  /** What differs from the beginning. A repository that was made meanwhile counts as created. */
  changes(): ChangedSetting[] {
    const [before, after] = [this.#before, settingsOf(this.#folder)];
    const names = [...new Set([...before.keys(), ...after.keys()])].sort();
    return names.flatMap((name): ChangedSetting[] => {
      if (before.get(name) === after.get(name)) return [];
      const change = !before.has(name) ? "created" : after.has(name) ? "changed" : "deleted";
      return [{ path: this.#shown(name), change }];
    });
  }

  #shown(file: string): string {
    const inside = path.relative(this.#folder, file);
    return inside.startsWith("..") || path.isAbsolute(inside) ? file : inside.split(path.sep).join("/");
  }
}

/** What the files are now, by their path. */
function settingsOf(folder: string): Map<string, string> {
  const repository = findRepository(folder);
  if (!repository) return new Map();
  const { gitDir, commonDir } = repository;
  const hooks = path.join(commonDir, "hooks");
  const files = [
    path.join(commonDir, "config"),
    path.join(gitDir, "config.worktree"),
    path.join(commonDir, "info", "attributes"),
    // Git does not run the examples that it comes with.
    ...namesIn(hooks).flatMap((name) => (name.endsWith(".sample") ? [] : [path.join(hooks, name)])),
  ];
  return new Map(files.flatMap((file) => contentOf(file)));
}

function contentOf(file: string): [string, string][] {
  try {
    const stat = lstatSync(file);
    if (stat.isSymbolicLink()) return [[file, `link ${readlinkSync(file)}`]];
    if (!stat.isFile()) return [[file, "other"]];
    const hash = stat.size > MAX_BYTES ? `${stat.size} ${stat.mtimeMs}` : sha256(readFileSync(file));
    return [[file, `${stat.mode & 0o111} ${hash}`]];
  } catch {
    return [];
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
const MAX_BYTES = 10 * 1024 * 1024;
