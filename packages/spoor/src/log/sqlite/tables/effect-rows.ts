import type { Effect, RowQuery } from "../../effects.ts";
import { LogError } from "../../errors.ts";
import type { Row, Table, Value } from "../../tables.ts";
import { shapeOf } from "../../work/check-effects.ts";
import type { DatabaseSync } from "../driver.ts";
import { createRowList } from "./row-list.ts";
import { createStatements, quoted } from "./statements.ts";

export type EffectRows = ReturnType<typeof createEffectRows>;

/** A row that was inserted, changed or deleted. */
export interface RowChange {
  table: Table;
  key: string;
}

/**
 * The tables of `tables.ts`. Statements are made when they are first needed. Every change is noted in `row_changes`, from
 * which other processes learn of it; the newest `KEPT_CHANGES` notes are kept.
 */
export function createEffectRows(database: DatabaseSync) {
  const statement = createStatements(database);
  const note = database.prepare("INSERT INTO row_changes (tbl, key) VALUES (?, ?)");
  const trim = database.prepare("DELETE FROM row_changes WHERE change <= ?");

  function changed(table: Table, key: string): void {
    const change = Number(note.run(table, key).lastInsertRowid);
    if (change % TRIM_EVERY === 0) trim.run(change - KEPT_CHANGES);
  }

  function find<T extends Table>(table: T, key: string): Row<T> | undefined {
    const { key: keyColumn, columns } = shapeOf(table);
    const names = Object.keys(columns).map(quoted).join(", ");
    return statement(`SELECT ${names} FROM ${table} WHERE ${quoted(keyColumn)} = ?`).get(key) as Row<T> | undefined;
  }

  const actions: { [name in Effect["do"]]: (effect: Extract<Effect, { do: name }>) => boolean } = {
    insert({ table, row, ifExists }) {
      const entries = entriesOf(row);
      const names = entries.map(([name]) => quoted(name)).join(", ");
      const places = entries.map(() => "?").join(", ");
      const sql = `INSERT INTO ${table} (${names}) VALUES (${places}) ON CONFLICT DO NOTHING`;
      if (statement(sql).run(...entries.map(([, value]) => value)).changes !== 0) return true;
      if (ifExists === "keep") return false;
      const key = keyOf(table, row);
      throw conflict(table, find(table, key), `${table} already has a row ${key}.`);
    },
    update({ table, key, when, set, ifDiffers }) {
      const conditions = conditionsOf(table, key, when);
      const changes = entriesOf(set);
      const sql =
        changes.length === 0
          ? `SELECT 1 FROM ${table} WHERE ${conditions.sql}`
          : `UPDATE ${table} SET ${changes.map(([name]) => `${quoted(name)} = ?`).join(", ")} WHERE ${conditions.sql}`;
      const values = [...changes.map(([, value]) => value), ...conditions.values];
      const isDone =
        changes.length === 0
          ? statement(sql).get(...values) !== undefined
          : statement(sql).run(...values).changes !== 0;
      if (!isDone && ifDiffers !== "keep") throw refused(table, key, find(table, key), "changed");
      return isDone && changes.length > 0;
    },
    delete({ table, key, when, ifDiffers }) {
      const conditions = conditionsOf(table, key, when ?? {});
      const sql = `DELETE FROM ${table} WHERE ${conditions.sql}`;
      if (statement(sql).run(...conditions.values).changes !== 0) return true;
      if (when && ifDiffers !== "keep") throw refused(table, key, find(table, key), "deleted");
      return false;
    },
  };

  return {
    find,
    list: createRowList(statement, find) as <T extends Table>(
      table: T,
      query?: RowQuery<T>,
    ) => { rows: Row<T>[]; more: boolean },
    /** Writes the effects in the transaction that is open. Throws at the first that cannot be done. */
    apply(effects: readonly Effect[]): void {
      for (const effect of effects) {
        const { table } = effect;
        if (actions[effect.do](effect as never))
          changed(table, "key" in effect ? effect.key : keyOf(table, effect.row));
      }
    },
    changed,
    statement,
  };
}

/** How many notes of changes are kept at least, for processes that have not seen them. */
export const KEPT_CHANGES = 10_000;
const TRIM_EVERY = 1_000;

const keyOf = (table: Table, row: object): string => String((row as Record<string, unknown>)[shapeOf(table).key]);

const entriesOf = (row: object): [string, Value][] => Object.entries(row).filter(([, value]) => value !== undefined);

function conditionsOf(table: Table, key: string, when: object): { sql: string; values: Value[] } {
  const entries = entriesOf(when);
  const sql = [`${quoted(shapeOf(table).key)} = ?`, ...entries.map(([name]) => `${quoted(name)} IS ?`)].join(" AND ");
  return { sql, values: [key, ...entries.map(([, value]) => value)] };
}

function refused(table: Table, key: string, row: Row | undefined, what: string): LogError {
  if (!row) return conflict(table, row, `${table} has no row ${key}, so it was not ${what}.`);
  return conflict(table, row, `The row ${key} of ${table} is not as expected, so it was not ${what}.`);
}

const conflict = (table: Table, row: Row | undefined, message: string): LogError =>
  new LogError("conflict", message, { table, ...(row && { row: { ...row } }) });
