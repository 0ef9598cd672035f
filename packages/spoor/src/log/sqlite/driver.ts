import type { DatabaseSync } from "node:sqlite";

export type { DatabaseSync, StatementSync } from "node:sqlite";

/** Opens a file with Node's own SQLite. Suppresses the warning of some Node versions that SQLite is experimental. */
export function openFile(path: string | URL, options: { readOnly?: boolean; timeout?: number } = {}): DatabaseSync {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  process.emitWarning = emitWarning;
  return new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, ...options });
}

/** How long SQLite itself waits for a lock that another process holds. */
export const BUSY_TIMEOUT_MS = 10_000;
