import type { Effect } from "../effects.ts";
import { LogError } from "../errors.ts";
import { type ColumnType, type TableShape, tables } from "../tables.ts";

/** Throws `bad_row` for an effect that does not fit its table, before anything is written. */
export function checkEffects(effects: readonly Effect[]): void {
  for (const effect of effects) {
    const shape = shapeOf(effect.table);
    if (effect.do === "insert") {
      checkValues(effect.table, shape, effect.row);
      for (const [column, type] of Object.entries(shape.columns)) {
        if (!type.endsWith("?") && (effect.row as Record<string, unknown>)[column] === undefined)
          throw new LogError("bad_row", `A row of ${effect.table} needs a value in ${column}.`);
      }
    } else {
      if (typeof effect.key !== "string")
        throw new LogError("bad_row", `The key of a row of ${effect.table} must be a text.`);
      if (effect.when) checkValues(effect.table, shape, effect.when);
      if (effect.do === "update") checkValues(effect.table, shape, effect.set);
      if (effect.do === "update" && Object.hasOwn(effect.set, shape.key))
        throw new LogError("bad_row", `The key ${shape.key} of a row of ${effect.table} cannot be changed.`);
    }
  }
}

/** The shape of a table. Throws `bad_row` if there is none of this name. */
export function shapeOf(table: string): TableShape {
  if (Object.hasOwn(tables, table)) return tables[table as keyof typeof tables];
  throw new LogError("bad_row", `There is no table ${JSON.stringify(table)}.`);
}

/** Throws `bad_row` if a value does not fit its column. */
function checkValues(table: string, { columns }: TableShape, values: object): void {
  for (const column in values) checkValue(table, columns, column, (values as Record<string, unknown>)[column]);
}

export function checkValue(
  table: string,
  columns: Readonly<Record<string, ColumnType>>,
  column: string,
  value: unknown,
): void {
  const type = Object.hasOwn(columns, column) ? columns[column] : undefined;
  if (!type) throw new LogError("bad_row", `The table ${table} has no column ${JSON.stringify(column)}.`);
  if (value === undefined || (value === null && type.endsWith("?"))) return;
  if (!fits[type](value)) throw new LogError("bad_row", `The value of ${column} in ${table} must be ${names[type]}.`);
}

const isText = (value: unknown): boolean => typeof value === "string";
const isInteger = (value: unknown): boolean => Number.isSafeInteger(value);

const fits: Record<ColumnType, (value: unknown) => boolean> = {
  text: isText,
  "text?": isText,
  integer: isInteger,
  "integer?": isInteger,
  "blob?": (value) => value instanceof Uint8Array,
};

const names: Record<ColumnType, string> = {
  text: "a text",
  "text?": "a text or null",
  integer: "a whole number",
  "integer?": "a whole number or null",
  "blob?": "bytes or null",
};
