import { type Table, tableNames, tables } from "../tables.ts";
import type { Context } from "./context.ts";
import { quoted } from "./tables/statements.ts";

export type RowListener = (table: Table, key: string) => void;

/**
 * Tells listeners which rows changed, from the notes in `row_changes`: right after our own commits, and by polling for those
 * of other processes. A process that slept so long that notes it has not seen were deleted reports every row that exists.
 */
export function createRowWatch({ database, tables: { rows } }: Context, pollMs: number) {
  const listeners = new Set<RowListener>();
  const newest = database.prepare("SELECT max(change) AS last FROM row_changes");
  const since = database.prepare("SELECT change, tbl, key FROM row_changes WHERE change > ? ORDER BY change");
  let seen = 0;
  let poll: NodeJS.Timeout | undefined;

  function report(): void {
    if (listeners.size === 0 || !database.isOpen) return;
    try {
      const changes = since.all(seen) as unknown as { change: number; tbl: string; key: string }[];
      const [first] = changes;
      const last = changes.at(-1);
      if (!first || !last) return;
      const hasMissed = first.change > seen + 1;
      seen = last.change;
      if (hasMissed) for (const table of tableNames) for (const key of keysOf(table)) tell(table, key);
      for (const { tbl, key } of changes) if (Object.hasOwn(tables, tbl)) tell(tbl as Table, key);
    } catch {
      // The notes cannot be read, because the log is damaged or locked. The next poll tries again.
    }
  }

  function tell(table: Table, key: string): void {
    for (const listener of listeners) {
      try {
        listener(table, key);
      } catch (error) {
        process.emitWarning(error as Error);
      }
    }
  }

  function keysOf(table: Table): string[] {
    const key = tables[table].key;
    return rows
      .statement(`SELECT ${quoted(key)} AS key FROM ${table}`)
      .all()
      .map((row) => String(row.key));
  }

  return {
    report,
    watch(listener: RowListener): () => void {
      if (listeners.size === 0) seen = Number(newest.get()?.last ?? 0);
      else report();
      // A listener that is added twice is called twice, and each call of `unwatch` removes one.
      const own: RowListener = (table, key) => listener(table, key);
      listeners.add(own);
      poll ??= setInterval(report, pollMs).unref();
      return () => {
        listeners.delete(own);
        if (listeners.size > 0) return;
        clearInterval(poll);
        poll = undefined;
      };
    },
    close(): void {
      clearInterval(poll);
      listeners.clear();
    },
  };
}
