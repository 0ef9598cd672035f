import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { type ProcessRow, readProcessTable } from "../process/process-table.ts";

/**
 * Names a process for good: its machine, since when that is up, its pid and when it started. A run's `run.started` carries
 * it, so that whoever comes later can tell whether the run's producer still lives.
 */
export function ownWorkerId(): string {
  own ??= workerIdOf(process.pid, readProcessTable().find(({ pid }) => pid === process.pid)?.started ?? "");
  return own;
}

let own: string | undefined;

export const workerIdOf = (pid: number, started: string): string =>
  [hostname(), bootId(), pid, started].map((part) => encodeURIComponent(part)).join("/");

/** Tells of any worker whether it is gone; undefined when that cannot be told from here. */
export function createWorkerCheck(
  table: readonly ProcessRow[] = readProcessTable(),
): (worker_id: string) => boolean | undefined {
  const host = hostname();
  const boot = bootId();
  return (worker_id) => {
    const worker = parseId(worker_id);
    if (worker?.host !== host) return undefined;
    if (worker.boot !== boot) return true;
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
}

function parseId(worker_id: string): Worker | undefined {
  const parts = worker_id.split("/").map(decoded);
  const [host, boot, pid, started] = parts;
  if (parts.length !== 4 || !host || boot === undefined || started === undefined || !/^\d+$/.test(pid ?? ""))
    return undefined;
  return { host, boot, pid: Number(pid), started };
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

function answersSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
