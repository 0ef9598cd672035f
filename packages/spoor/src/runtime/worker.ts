import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { type ProcessRow, readProcessTable } from "../process/process-table.ts";

/**
 * A unique id of a process, made of host, boot, pid, start time and pid namespace. `run.started` carries it, so that another
 * process can check later whether the run's producer is still alive.
 */
export function ownWorkerId(): string {
  own ??= workerIdOf(process.pid, readProcessTable().find(({ pid }) => pid === process.pid)?.started ?? "");
  return own;
}

let own: string | undefined;

export const workerIdOf = (pid: number, started: string, space = pidSpace()): string =>
  [hostname(), bootId(), pid, started, space].map((part) => encodeURIComponent(part)).join("/");

/** Returns a function that says whether a worker is gone; undefined means that this process cannot know. */
export function createWorkerCheck(
  table: readonly ProcessRow[] = readProcessTable(),
): (worker_id: string) => boolean | undefined {
  const host = hostname();
  const boot = bootId();
  const space = pidSpace();
  return (worker_id) => {
    const worker = parseId(worker_id);
    if (worker?.host !== host) return undefined;
    if (worker.boot !== boot) return true;
    // A container may share the host name and the log, but its processes are not visible here.
    if (worker.space !== space) return undefined;
    if (table.length === 0) return !answersSignals(worker.pid);
    const row = table.find(({ pid }) => pid === worker.pid);
    return !row || row.isZombie || row.started !== worker.started;
  };
}

interface Worker {
  host: string;
  boot: string;
  pid: number;
  started: string;
  space: string;
}

function parseId(worker_id: string): Worker | undefined {
  const parts = worker_id.split("/").map(decoded);
  // Ids of old versions have no pid namespace.
  const [host, boot, pid, started, space = pidSpace()] = parts;
  if (parts.length > 5 || !host || boot === undefined || started === undefined || !/^\d+$/.test(pid ?? ""))
    return undefined;
  return { host, boot, pid: Number(pid), started, space };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A pid and a start time can repeat after the next boot. Only Linux has an id for each boot. */
function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

/** The pid namespace: containers number their processes independently. Only Linux has them. */
function pidSpace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

function answersSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
