import { createHash } from "node:crypto";
import { mkdirSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { findGit, isInside } from "../workspace/git-program.ts";
import { SHADOWS } from "../workspace/places.ts";
import { type SnapshotKind, type Snapshots, TooBigError } from "../workspace/snapshot.ts";
import { ChangeTracker } from "./change-tracker.ts";

export interface OpenTrackerOptions {
  /** Where the agent works. */
  cwd: string;
  /** Spoor's data directory. */
  directory: string;
  environment?: NodeJS.ProcessEnv;
  /** Whether every call waits for `beforeCall`, so that one runs at a time. */
  callsWait?: boolean;
}

/** A folder too big for snapshots is tried again after this time. */
const FORGET_MS = 7 * 24 * 60 * 60 * 1000;

/** Makes the tracker for a run. Undefined where nothing is looked at: in the home directory, above it, and without a folder. */
export function openTracker({
  cwd,
  directory,
  environment = process.env,
  callsWait = false,
}: OpenTrackerOptions): ChangeTracker | undefined {
  const folder = realPath(cwd);
  const data = realPath(directory);
  const isOwn = isInside(path.join(data, "worktrees"), folder);
  if (isInside(folder, environment.HOME ?? homedir()) || (isInside(data, folder) && !isOwn)) return undefined;
  // A worktree or clone that Spoor made for the run lies in its data, and holds none of it.
  const except = isOwn ? [] : [data];
  const store = storeOf(data, folder);
  if (isTooBig(store)) return new ChangeTracker({ folder, kind: "named", except, callsWait });
  const program = findGit(folder, environment);
  const kind: SnapshotKind = program === undefined ? "scan" : "git";
  const open = async (signal: AbortSignal): Promise<Snapshots> => {
    mkdirSync(store, { recursive: true, mode: 0o700 });
    const options = { folder, store, except, signal };
    if (program === undefined) {
      const { ScanSnapshots } = await import("../workspace/scan.ts");
      return remembering(store, new ScanSnapshots(options));
    }
    const { ShadowSnapshots } = await import("../workspace/shadow.ts");
    return remembering(store, new ShadowSnapshots({ ...options, program }));
  };
  return new ChangeTracker({ folder, kind, open, except, callsWait });
}

/** How a run in this folder finds changes, for `run.started`. */
export const snapshotKindOf = (options: OpenTrackerOptions): SnapshotKind => openTracker(options)?.kind ?? "off";

/** The path without links, also of a folder that does not exist yet. */
export function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    const parent = path.dirname(path.resolve(folder));
    return parent === folder ? folder : path.join(realPath(parent), path.basename(folder));
  }
}

/** Where the shadows of a workspace are. */
const storeOf = (data: string, folder: string): string =>
  path.join(data, SHADOWS, createHash("sha256").update(folder).digest("hex").slice(0, 24));

const markOf = (store: string): string => path.join(store, "too-big");

function isTooBig(store: string): boolean {
  try {
    return Date.now() - statSync(markOf(store)).mtimeMs < FORGET_MS;
  } catch {
    return false;
  }
}

/** Remembers for the next run that a folder is too big. */
function remembering(store: string, snapshots: Snapshots): Snapshots {
  const take = snapshots.take.bind(snapshots);
  snapshots.take = async () => {
    try {
      return await take();
    } catch (error) {
      if (error instanceof TooBigError) writeFileSync(markOf(store), error.message);
      throw error;
    }
  };
  return snapshots;
}
