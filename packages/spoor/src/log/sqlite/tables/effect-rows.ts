import type { Effect, RowQuery } from "../../effects.ts";
import { LogError } from "../../errors.ts";
import type { Row, Table, Value } from "../../tables.ts";
import { shapeOf } from "../../work/check-effects.ts";
import type { DatabaseSync, StatementSync } from "../driver.ts";
import { createRowList } from "./row-list.ts";
import { createStatements, quoted } from "./statements.ts";

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

  const plans = new Map<string, StatementSync>();

  /** The statement for an effect of this shape. Its text is made only once, because that takes longer than running it. */
  function planned(shape: string, make: () => string): StatementSync {
    const known = plans.get(shape);
    if (known) return known;
    if (plans.size >= MAX_PLANS) plans.clear();
    const made = database.prepare(make());
    plans.set(shape, made);
    return made;
  }

  const actions: { [name in Effect["do"]]: (effect: Extract<Effect, { do: name }>) => boolean } = {
    insert({ table, row, ifExists }) {
      const values: Value[] = [];
      const insert = planned(`insert ${table}${taken(row, values)}`, () => {
        const names = namesOf(row);
        return `INSERT INTO ${table} (${names.map(quoted).join(", ")}) VALUES (${names.map(() => "?").join(", ")}) ON CONFLICT DO NOTHING`;
      });
      if (insert.run(...values).changes !== 0) return true;
      if (ifExists === "keep") return false;
      const key = keyOf(table, row);
      throw conflict(table, find(table, key), `${table} already has a row ${key}.`);
    },
    update({ table, key, when, set, ifDiffers }) {
      const values: Value[] = [];
      const changes = taken(set, values);
      values.push(key);
      const update = planned(`update ${table}${changes} when${taken(when, values)}`, () => {
        const conditions = conditionsOf(table, when);
        if (changes === "") return `SELECT 1 FROM ${table} WHERE ${conditions}`;
        const names = namesOf(set).map((name) => `${quoted(name)} = ?`);
        return `UPDATE ${table} SET ${names.join(", ")} WHERE ${conditions}`;
      });
      const isDone = changes === "" ? update.get(...values) !== undefined : update.run(...values).changes !== 0;
      if (!isDone && ifDiffers !== "keep") throw refused(table, key, find(table, key), "changed");
      return isDone && changes !== "";
    },
    delete({ table, key, when = NO_VALUES, ifDiffers }) {
      const values: Value[] = [key];
      const shape = `delete ${table}${taken(when, values)}`;
      const deletion = planned(shape, () => `DELETE FROM ${table} WHERE ${conditionsOf(table, when)}`);
      if (deletion.run(...values).changes !== 0) return true;
      if (when !== NO_VALUES && ifDiffers !== "keep") throw refused(table, key, find(table, key), "deleted");
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

const NO_VALUES = {};
/** Effects of the runtime have a few dozen shapes. */
const MAX_PLANS = 200;

/** Adds the values of a row, and returns the names of their columns. No name has a comma in it. */
function taken(row: object, values: Value[]): string {
  let names = "";
  for (const name in row) {
    const value = (row as Record<string, Value | undefined>)[name];
    if (value === undefined) continue;
    names += `,${name}`;
    values.push(value);
  }
  return names;
}

const namesOf = (row: object): string[] =>
  Object.keys(row).filter((name) => (row as Record<string, unknown>)[name] !== undefined);

const conditionsOf = (table: Table, when: object): string =>
  [`${quoted(shapeOf(table).key)} = ?`, ...namesOf(when).map((name) => `${quoted(name)} IS ?`)].join(" AND ");

function refused(table: Table, key: string, row: Row | undefined, what: string): LogError {
  if (!row) return conflict(table, row, `${table} has no row ${key}, so it was not ${what}.`);
  return conflict(table, row, `The row ${key} of ${table} is not as expected, so it was not ${what}.`);
}

const conflict = (table: Table, row: Row | undefined, message: string): LogError =>
  new LogError("conflict", message, { table, ...(row && { row: { ...row } }) });
