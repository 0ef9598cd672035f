import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import path from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { ownWorkerId } from "../worker.ts";
import type { LaunchedProcess, Launcher } from "./executor.ts";

export interface LaunchOptions {
  /** The data directory. */
  directory: string;
  /** The kinds of runs that the process takes. */
  kinds: readonly string[];
  /** The run that the process takes. Absent: the one that has waited longest. */
  run_id?: string;
  /** The worker that starts the process. Absent: a command, which does not wait for it. */
  launcher_id?: string;
  env?: NodeJS.ProcessEnv;
}

/** Messages of executor processes, which have no terminal, are appended to this file of the data directory. */
export const EXECUTOR_LOG = "executors.log";

/** The descriptor on which an executor process says that it has taken a run. */
export const CLAIM_DESCRIPTOR = 3;

/** Starts `spoor execute` for each run. Such a process leads a session of its own, so it survives the server. */
export const createProcessLauncher = (options: LaunchOptions): Launcher => ({
  launch: () => launchExecutor({ launcher_id: ownWorkerId(), ...options }),
});

/** Starts a process that takes one run from the queue and performs it. */
export function launchExecutor(options: LaunchOptions): LaunchedProcess {
  const { directory, kinds, run_id, launcher_id, env = process.env } = options;
  const messages = openSync(path.join(directory, EXECUTOR_LOG), "a", 0o600);
  try {
    // The process works in another folder.
    const args = [programFile(), "execute", "--data", path.resolve(directory), "--kinds", kinds.join(",")];
    if (run_id !== undefined) args.push("--run", run_id);
    if (launcher_id !== undefined) args.push("--launcher", launcher_id);
    const child = spawn(process.execPath, args, {
      cwd: "/",
      env,
      detached: true,
      stdio: ["ignore", "ignore", messages, "pipe"],
    });
    child.unref();
    return { claimed: claimOf(child), ended: endOf(child) };
  } finally {
    closeSync(messages);
  }
}

async function claimOf(child: ChildProcess): Promise<boolean> {
  const channel = child.stdio[CLAIM_DESCRIPTOR] as Readable | null | undefined;
  if (!channel) return false;
  let hasClaimed = false;
  channel.on("data", () => {
    hasClaimed = true;
    channel.destroy();
  });
  channel.on("error", () => {});
  await once(channel, "close");
  return hasClaimed;
}

/** A program that cannot be started ends with an error instead. */
const endOf = async (child: ChildProcess): Promise<void> => {
  await once(child, "exit").catch(() => {});
};

/** The command line of this installation. It is in the package's folder, wherever this file was built to. */
export function programFile(): string {
  for (let folder = path.dirname(fileURLToPath(import.meta.url)); ; folder = path.dirname(folder)) {
    const file = path.join(folder, "bin", "spoor.js");
    if (existsSync(file)) return file;
    if (folder === path.dirname(folder)) throw new Error("The program bin/spoor.js of this installation is missing.");
  }
}
