import type { Effect, RowQuery, Rows } from "./effects.ts";
import { LogError } from "./errors.ts";
import { type Row, type Table, tableNames, type Value } from "./tables.ts";
import { checkEffects, shapeOf } from "./work/check-effects.ts";

type AnyRow = Record<string, Value>;
type Rest = Map<Table, Map<string, AnyRow>>;

/** Rows in memory, for a run that is not recorded. They behave like those of a store. */
export class MemoryRows implements Rows {
  readonly #tables: Rest = new Map(tableNames.map((table) => [table, new Map()]));
  readonly #keys = new Set<string>();
  readonly #listeners = new Set<(table: Table, key: string) => void>();

  async find<T extends Table>(table: T, key: string): Promise<Row<T> | undefined> {
    shapeOf(table);
    const row = this.#tables.get(table)?.get(key);
    return row && ({ ...row } as Row<T>);
  }

  async list<T extends Table>(table: T, query: RowQuery<T> = {}): Promise<{ rows: Row<T>[]; more: boolean }> {
    const { key } = shapeOf(table);
    const { where = {}, order = key, descending = false, after, before, limit = 50 } = query;
    const place = (row: AnyRow) => [row[order] ?? null, row[key] ?? null] as const;
    const all = [...(this.#tables.get(table)?.values() ?? [])];
    const compare = (a: AnyRow, b: AnyRow) => compareLists(place(a), place(b)) * (descending ? -1 : 1);
    const cursorOf = (id: string) => all.find((row) => row[key] === id) ?? (order === key ? { [key]: id } : undefined);
    const [first, last] = [after, before].map((id) => (id === undefined ? undefined : cursorOf(id)));
    if ((after !== undefined && !first) || (before !== undefined && !last)) return { rows: [], more: false };
    const found = all
      .filter((row) => Object.entries(where).every(([column, value]) => isAmong(row[column] ?? null, value)))
      .filter((row) => (!first || compare(row, first) > 0) && (!last || compare(row, last) < 0))
      .sort(compare);
    const isBackwards = before !== undefined && after === undefined;
    const rows = isBackwards ? found.slice(Math.max(0, found.length - limit)) : found.slice(0, limit);
    return { rows: rows.map((row) => ({ ...row }) as Row<T>), more: found.length > limit };
  }

  async write(effects: readonly Effect[], { idempotency_key }: { idempotency_key?: string } = {}): Promise<void> {
    if (idempotency_key !== undefined && this.#keys.has(idempotency_key)) return;
    this.apply(effects);
    if (idempotency_key !== undefined) this.#keys.add(idempotency_key);
  }

  /** Writes all effects, or throws and changes nothing. */
  apply(effects: readonly Effect[]): void {
    checkEffects(effects);
    const changed: Rest = new Map();
    for (const effect of effects) {
      const { table } = effect;
      const rows = changed.get(table) ?? new Map(this.#tables.get(table));
      changed.set(table, rows);
      applyOne(rows, effect);
    }
    for (const [table, rows] of changed) this.#tables.set(table, rows);
    for (const effect of effects) {
      const key = "key" in effect ? effect.key : String((effect.row as AnyRow)[shapeOf(effect.table).key]);
      for (const listener of this.#listeners) listener(effect.table, key);
    }
  }

  watch = (listener: (table: Table, key: string) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

function applyOne(rows: Map<string, AnyRow>, effect: Effect): void {
  const { table } = effect;
  const { key: keyColumn, columns } = shapeOf(table);
  if (effect.do === "insert") {
    const given = effect.row as AnyRow;
    const key = String(given[keyColumn]);
    const existing = rows.get(key);
    if (existing && effect.ifExists === "keep") return;
    if (existing) throw new LogError("conflict", `${table} already has a row ${key}.`, { table, row: existing });
    rows.set(key, Object.fromEntries(Object.keys(columns).map((column) => [column, given[column] ?? null])));
    return;
  }
  const row = rows.get(effect.key);
  const isGuarded = effect.do === "update" || effect.when !== undefined;
  const isAsExpected =
    row && Object.entries(effect.when ?? {}).every(([column, value]) => isAmong(row[column] ?? null, value ?? null));
  if (!isAsExpected && isGuarded)
    throw new LogError("conflict", `The row ${effect.key} of ${table} is not as expected.`, {
      table,
      ...(row && { row }),
    });
  if (effect.do === "delete") rows.delete(effect.key);
  else rows.set(effect.key, { ...row, ...(withoutUndefined(effect.set) as AnyRow) });
}

const withoutUndefined = (set: object): object =>
  Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined));

function isAmong(value: Value, expected: unknown): boolean {
  if (expected === undefined) return true;
  return (Array.isArray(expected) ? expected : [expected]).some((each) => compareValues(value, each as Value) === 0);
}

function compareLists(a: readonly Value[], b: readonly Value[]): number {
  for (const [index, value] of a.entries()) {
    const difference = compareValues(value, b[index] ?? null);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Null, then numbers, then texts by their UTF-8, then bytes: the order of SQLite. */
function compareValues(a: Value, b: Value): number {
  const difference = rank(a) - rank(b);
  if (difference !== 0 || a === null || b === null) return difference;
  if (typeof a === "number" && typeof b === "number") return a - b;
  return Buffer.compare(Buffer.from(a as string), Buffer.from(b as string));
}

const rank = (value: Value): number =>
  value === null ? 0 : typeof value === "number" ? 1 : typeof value === "string" ? 2 : 3;
