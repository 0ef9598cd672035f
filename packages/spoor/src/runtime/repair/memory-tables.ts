import type { Effect } from "../../log/effects.ts";
import { type Table, tables } from "../../log/tables.ts";

/** A row with every column of its table. */
export type AnyRow = Record<string, string | number | null | Uint8Array>;

/** Rows in memory, changed by the same effects as those of a log. */
export class MemoryTables {
  readonly #tables = new Map<Table, Map<string, AnyRow>>();

  rows(table: Table): Map<string, AnyRow> {
    const rows = this.#tables.get(table) ?? new Map<string, AnyRow>();
    this.#tables.set(table, rows);
    return rows;
  }

  /** An effect whose guard does not hold changes nothing: the commit that stored its event had another effect first. */
  apply(effects: readonly Effect[]): void {
    for (const effect of effects) this.#apply(effect);
  }

  #apply(effect: Effect): void {
    const rows = this.rows(effect.table);
    if (effect.do === "insert") {
      const row = wholeRow(effect.table, effect.row);
      const key = String(row[tables[effect.table].key]);
      if (!rows.has(key)) rows.set(key, row);
      return;
    }
    const row = rows.get(effect.key);
    if (!row || !holds(row, (effect.when ?? {}) as Partial<AnyRow>)) return;
    if (effect.do === "delete") rows.delete(effect.key);
    else rows.set(effect.key, { ...row, ...(effect.set as AnyRow) });
  }
}

/** Adds the columns that a new row leaves out. */
export function wholeRow(table: Table, row: object): AnyRow {
  const values = row as Record<string, AnyRow[string] | undefined>;
  return Object.fromEntries(Object.keys(tables[table].columns).map((column) => [column, values[column] ?? null]));
}

const holds = (row: AnyRow, when: Partial<AnyRow>): boolean =>
  Object.entries(when).every(([column, value]) => row[column] === value);
