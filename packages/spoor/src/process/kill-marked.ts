import { type ProcessRow, readProcessTable } from "./process-table.ts";
import { membersOf } from "./process-tree.ts";
import { createMarkCheck } from "./run-mark.ts";

/**
 * Kills every process that carries this mark, and their descendants: the processes left behind by a run whose own process is
 * gone. Processes for which `spares` returns true are not killed. Returns how many were killed. A process whose environment
 * we cannot read is not found.
 */
export function killMarked(mark: string, spares: (row: ProcessRow) => boolean = () => false): number {
  const isMarked = createMarkCheck(mark);
  const belongs = (row: ProcessRow): boolean => isMarked(row) && !spares(row);
  const killed = new Set<number>();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const rows = leftBehind(readProcessTable(), belongs);
    if (rows.length === 0) break;
    // All are stopped first, so that none can start another process before it is killed.
    for (const signal of ["SIGSTOP", "SIGKILL"] as const) {
      for (const { pid } of rows) send(pid, signal);
    }
    for (const { pid } of rows) killed.add(pid);
  }
  return killed.size;
}

/**
 * A process left behind may share the group of this one, for example in a script. Then the others of that group do not belong
 * to it. This process itself is never killed.
 */
export function leftBehind(
  table: ProcessRow[],
  belongs: (row: ProcessRow) => boolean,
  own = process.pid,
): ProcessRow[] {
  const group = table.find(({ pid }) => pid === own)?.group;
  const others = table.filter(({ pid }) => pid !== own);
  return membersOf(undefined, new Map(), others, belongs, group).filter(({ isZombie }) => !isZombie);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already exited.
  }
}

const MAX_ROUNDS = 20;
