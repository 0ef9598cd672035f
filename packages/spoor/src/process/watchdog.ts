import { type ChildProcess, spawn } from "node:child_process";
import { WATCHDOG_SCRIPT } from "./watchdog-script.ts";

export interface Watched {
  mark: string;
  /** The leader of a group and session; absent when processes are known by the mark alone. */
  pid?: number;
  /** The start time as in the process table; empty when unknown. */
  started?: string;
}

/**
 * After SIGKILL this process cannot end its children. So a small shell waits for the end of a pipe that only this process
 * holds open. When this process is gone, for whatever reason, the shell kills what is watched, with all descendants. It runs
 * while anything is watched. Returns a function that ends the watch.
 */
export function watchOver(entry: Watched): () => void {
  watched.add(entry);
  watchdog ??= startWatchdog();
  sendWatched(watchdog);
  return () => {
    if (!watched.delete(entry) || watchdog === undefined) return;
    sendWatched(watchdog);
    if (watched.size > 0) return;
    watchdog.stdin?.end();
    watchdog = undefined;
  };
}

const watched = new Set<Watched>();
let watchdog: ChildProcess | undefined;

/** The shell runs in its own session, so that no signal for us or our terminal reaches it, and inherits no open files. */
function startWatchdog(): ChildProcess {
  const child = spawn("/bin/sh", ["-c", WATCHDOG_SCRIPT], {
    cwd: "/",
    env: { PATH: `${process.env.PATH ?? ""}:/usr/bin:/bin` },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  // Without a watchdog, the processes see their pipes closed, and recovery at the next start finds the rest.
  child.on("error", () => {});
  child.stdin?.on("error", () => {});
  child.unref();
  (child.stdin as typeof child.stdin & { unref?(): void })?.unref?.();
  return child;
}

function sendWatched({ stdin }: ChildProcess): void {
  stdin?.write(`${[...watched].map(({ mark, pid = "", started = "" }) => `${mark}:${pid}:${started}`).join(" ")}\n`);
}
