import type { RowQuery } from "../../effects.ts";
import { LogError } from "../../errors.ts";
import type { Row, Table, Value } from "../../tables.ts";
import { checkValue, shapeOf } from "../../work/check-effects.ts";
import { quoted, type Statements } from "./statements.ts";

const DEFAULT_LIMIT = 50;

/** Lists the rows of a table in an order, page by page. */
export function createRowList(
  statement: Statements,
  find: (table: Table, key: string) => Row | undefined,
): (table: Table, query?: RowQuery) => { rows: Row[]; more: boolean } {
  return (table, query = {}) => {
    const { key, columns } = shapeOf(table);
    const { where = {}, order = key, descending = false, after, before, limit = DEFAULT_LIMIT } = query;
    if (!Object.hasOwn(columns, order)) throw new LogError("bad_row", `The table ${table} has no column ${order}.`);
    if (!Number.isSafeInteger(limit) || limit < 0)
      throw new LogError("bad_row", `The limit of a list must be a whole number, not ${limit}.`);
    const conditions: Condition[] = Object.entries(where as Record<string, Value | readonly Value[]>).flatMap(
      ([column, value]) => (value === undefined ? [] : [equals(table, columns, column, value)]),
    );
    for (const [cursor, isBackwards] of [
      [after, false],
      [before, true],
    ] as const) {
      if (cursor === undefined) continue;
      const place = placeOf(table, cursor, order, key);
      if (!place) return { rows: [], more: false };
      conditions.push(beyond(place, key, descending !== isBackwards));
    }
    // Rows before a cursor are read backwards, so that those closest to it come first.
    const isBackwards = before !== undefined && after === undefined;
    const direction = descending !== isBackwards ? "DESC" : "ASC";
    const names = Object.keys(columns).map(quoted).join(", ");
    const filter = conditions.map(({ sql }) => `(${sql})`).join(" AND ") || "1";
    const sorting = order === key ? [key] : [order, key];
    const found = statement(
      `SELECT ${names} FROM ${table} WHERE ${filter} ORDER BY ${sorting.map((name) => `${quoted(name)} ${direction}`).join(", ")} LIMIT ?`,
    ).all(...conditions.flatMap(({ values }) => values), limit + 1) as unknown as Row[];
    const rows = found.slice(0, limit);
    return { rows: isBackwards ? rows.reverse() : rows, more: found.length > limit };
  };

  /** Where a row stands in the order; undefined if it is gone. */
  function placeOf(table: Table, cursor: string, order: string, key: string): Place | undefined {
    if (order === key) return { order, value: cursor, key: cursor };
    const row = find(table, cursor) as Record<string, Value> | undefined;
    return row && { order, value: row[order] ?? null, key: cursor };
  }
}

interface Condition {
  sql: string;
  values: Value[];
}

interface Place {
  order: string;
  value: Value;
  key: string;
}

function equals(
  table: Table,
  columns: Parameters<typeof checkValue>[1],
  column: string,
  value: Value | readonly Value[],
): Condition {
  const values = Array.isArray(value) ? (value as readonly Value[]) : [value as Value];
  for (const each of values) checkValue(table, columns, column, each);
  return { sql: values.map(() => `${quoted(column)} IS ?`).join(" OR ") || "0", values: [...values] };
}

/** Selects the rows beyond a place in the order. SQLite treats null as less than any value. */
function beyond({ order, value, key }: Place, keyColumn: string, descending: boolean): Condition {
  const [name, id, sign] = [quoted(order), quoted(keyColumn), descending ? "<" : ">"];
  if (order === keyColumn) return { sql: `${id} ${sign} ?`, values: [key] };
  const same = `${name} IS ? AND ${id} ${sign} ?`;
  if (value === null) return { sql: descending ? same : `${name} IS NOT NULL OR (${same})`, values: [null, key] };
  const further = descending ? `${name} < ? OR ${name} IS NULL` : `${name} > ?`;
  return { sql: `${further} OR (${same})`, values: [value, value, key] };
}
