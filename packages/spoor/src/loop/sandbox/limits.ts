import { statfsSync } from "node:fs";
import { totalmem } from "node:os";

const GiB = 1024 ** 3;

/** How a command is started. */
export interface LimitOptions {
  /** Written to stdout when the sandbox is made, right before the command begins. */
  startMark?: string;
  maxProcesses?: number;
}

/**
 * Returns the command with limits: a number of processes, memory of each process, the size of a file, and no core dumps.
 * If memory runs out, the system ends it before other programs. A limit that this system does not know is left out: the
 * shells have different letters for the number of processes. The system does not count the processes of root.
 */
export function withLimits(
  argv: readonly string[],
  root: string,
  { startMark = "", maxProcesses = MAX_PROCESSES }: LimitOptions = {},
): string[] {
  const lines = [
    `ulimit -u ${maxProcesses} || ulimit -p ${maxProcesses}`,
    `ulimit -d ${Math.floor(maxMemory() / 1024)}`,
    `ulimit -f ${Math.floor(maxFile(root) / 512)}`,
    "ulimit -c 0",
    "echo 800 > /proc/self/oom_score_adj",
  ];
  return ["/bin/sh", "-c", `{ ${lines.join("; ")}; } 2> /dev/null; printf %s "$0"; exec "$@"`, startMark, ...argv];
}

/** Counted by the system for each sandbox alone. */
const MAX_PROCESSES = 4096;

/** Three quarters of what this machine, or our part of it, has. */
const maxMemory = (): number => 0.75 * Math.min(totalmem(), process.constrainedMemory() || totalmem());

/** At most 16 GiB, and not more than half of the free space. */
function maxFile(root: string): number {
  try {
    const { bavail, bsize } = statfsSync(root);
    return Math.max(GiB, Math.min(16 * GiB, (bavail * bsize) / 2));
  } catch {
    return 16 * GiB;
  }
}
