import { type ChildProcess, spawn } from "node:child_process";
import { WATCHDOG_SCRIPT } from "./watchdog-script.ts";

export interface Watched {
  mark: string;
  /** Leads a group and a session; absent where processes are known by the mark alone. */
  pid?: number;
  /** When it started, as the process table has it; empty where that is not known. */
  started?: string;
}

/**
 * SIGKILL leaves us no moment to end our children. So a small shell waits for the end of a pipe that only we hold open: when
 * we are gone, however that came about, it kills what is watched at that time, with all that came of it. It runs while
 * anything is watched. Returns what ends the watch.
 */
export function watchOver(entry: Watched): () => void {
  watched.add(entry);
  dog ??= startDog();
  tell(dog);
  return () => {
    if (!watched.delete(entry) || dog === undefined) return;
    tell(dog);
    if (watched.size > 0) return;
    dog.stdin?.end();
    dog = undefined;
  };
}

const watched = new Set<Watched>();
let dog: ChildProcess | undefined;

/** In a session of its own, so that no signal for us or for a terminal reaches it; it holds nothing of ours open. */
function startDog(): ChildProcess {
  const child = spawn("/bin/sh", ["-c", WATCHDOG_SCRIPT], {
    cwd: "/",
    env: { PATH: `${process.env.PATH ?? ""}:/usr/bin:/bin` },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  // Without it a run is as before: its processes see their pipes closed, and recovery looks for the rest.
  child.on("error", () => {});
  child.stdin?.on("error", () => {});
  child.unref();
  (child.stdin as typeof child.stdin & { unref?(): void })?.unref?.();
  return child;
}

function tell({ stdin }: ChildProcess): void {
  stdin?.write(`${[...watched].map(({ mark, pid = "", started = "" }) => `${mark}:${pid}:${started}`).join(" ")}\n`);
}
