import { leftBehind } from "./kill-marked.ts";
import { readProcessTable } from "./process-table.ts";
import { createMarkCheck } from "./run-mark.ts";

/** Sends a signal to every process that carries this mark, and to their descendants. Returns how many there are. */
export function signalMarked(mark: string, signal: NodeJS.Signals): number {
  const rows = leftBehind(readProcessTable(), createMarkCheck(mark));
  for (const { pid } of rows) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has already exited.
    }
  }
  return rows.length;
}
