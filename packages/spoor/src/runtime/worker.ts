import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { type ProcessRow, readProcessTable } from "../process/process-table.ts";

/**
 * Names a process for good: its machine, since when that is up, its pid, when it started, and where that pid counts. A run's `run.started` carries
 * it, so that whoever comes later can tell whether the run's producer still lives.
 */
export function ownWorkerId(): string {
  own ??= workerIdOf(process.pid, readProcessTable().find(({ pid }) => pid === process.pid)?.started ?? "");
  return own;
}

let own: string | undefined;

export const workerIdOf = (pid: number, started: string, space = pidSpace()): string =>
  [hostname(), bootId(), pid, started, space].map((part) => encodeURIComponent(part)).join("/");

/** Tells of any worker whether it is gone; undefined when that cannot be told from here. */
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
    // A container may share our name and our log, but we do not see its processes.
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
  // Ids were without the last part once.
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

/** A pid and a time since boot come again after the next boot. Only Linux tells one boot from another. */
function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

/** Containers count their processes by themselves. Only Linux has such, and names them. */
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
