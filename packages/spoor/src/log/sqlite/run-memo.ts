import type { RunRecord } from "../records.ts";
import type { DatabaseSync } from "./driver.ts";
import type { RunRow } from "./run-rows.ts";

export interface RunSources {
  find(run_id: string): RunRow | undefined;
  record(row: RunRow): RunRecord;
}

const MOST = 256;

/** Rows of runs as they stand: they are not looked for again while nobody, in this process or another, commits anything. */
export function createRunMemo(database: DatabaseSync, { find, record }: RunSources) {
  const version = database.prepare("PRAGMA data_version");
  const known = new Map<string, Known>();
  let seen: unknown;

  function look(run_id: string): Known | undefined {
    const now = version.get()?.data_version;
    if (now !== seen || known.size > MOST) known.clear();
    seen = now;
    const found = known.get(run_id);
    if (found) return found;
    const row = find(run_id);
    if (!row) return undefined;
    const entry: Known = { row };
    known.set(run_id, entry);
    return entry;
  }

  return {
    row: (run_id: string): RunRow | undefined => look(run_id)?.row,
    record(run_id: string): RunRecord | undefined {
      const entry = look(run_id);
      if (!entry) return undefined;
      entry.record ??= record(entry.row);
      return { ...entry.record };
    },
    /** After every commit on this connection, of which SQLite tells only others. */
    forget(): void {
      known.clear();
    },
  };
}

interface Known {
  row: RunRow;
  record?: RunRecord;
}
