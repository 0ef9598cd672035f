import { type Table, type TableShape, tables } from "../../tables.ts";
import { quoted } from "./statements.ts";

/** The statements that make a table of `tables.ts`. A test compares them with what the migrations make. */
export function ddlOf(table: Table): string[] {
  const { key, columns, indexes }: TableShape = tables[table];
  const lines = Object.entries(columns).map(([name, type]) => {
    const [sqlType, isNullable] = [type.replace("?", "").toUpperCase(), type.endsWith("?")];
    return `  ${quoted(name)} ${sqlType}${name === key ? " PRIMARY KEY" : ""}${isNullable ? "" : " NOT NULL"}`;
  });
  return [
    `CREATE TABLE ${table} (\n${lines.join(",\n")}\n) STRICT;`,
    ...indexes.map((index) => indexOf(table, index, key)),
  ];
}

/** Every index ends with the key, so that rows with equal values have an order. */
const indexOf = (table: Table, columns: readonly string[], key: string): string =>
  `CREATE INDEX ${table}_by_${columns.join("_")} ON ${table} (${[...columns, key].map(quoted).join(", ")});`;
