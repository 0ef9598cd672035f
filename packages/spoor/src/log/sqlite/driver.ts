import type { DatabaseSync } from "node:sqlite";

export type { DatabaseSync, StatementSync } from "node:sqlite";

/** Node's own SQLite. Some of the Nodes we run on call it experimental at the first use; our users need not read that. */
export function openFile(path: string | URL, options: { readOnly?: boolean; timeout?: number } = {}): DatabaseSync {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  process.emitWarning = emitWarning;
  return new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, ...options });
}

/** How long a commit waits for another process's. */
export const BUSY_TIMEOUT_MS = 10_000;
