import { type ProcessRow, readProcessTable } from "./process-table.ts";
import { membersOf } from "./process-tree.ts";
import { createMarkCheck } from "./run-mark.ts";

/**
 * Kills every process that bears this mark, and what descends from those: what a run left behind whose own process is gone.
 * Those it `spares` are let be. Returns how many there were. A process that hides its environment from us is not found.
 */
export function killMarked(mark: string, spares: (row: ProcessRow) => boolean = () => false): number {
  const isMarked = createMarkCheck(mark);
  const bears = (row: ProcessRow): boolean => isMarked(row) && !spares(row);
  const killed = new Set<number>();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const rows = membersOf(undefined, new Map(), readProcessTable(), bears).filter(({ isZombie }) => !isZombie);
    if (rows.length === 0) break;
    // Held still first, so that none starts another between being found and being killed.
    for (const signal of ["SIGSTOP", "SIGKILL"] as const) {
      for (const { pid } of rows) send(pid, signal);
    }
    for (const { pid } of rows) killed.add(pid);
  }
  return killed.size;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone already.
  }
}

const MAX_ROUNDS = 20;
