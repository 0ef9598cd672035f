import { expect, it } from "vitest";
import { tableNames, tables } from "../../tables.ts";
import { openFile } from "../driver.ts";
import { migrate } from "../migrate.ts";
import { ddlOf } from "./row-ddl.ts";

it.each(tableNames)("the migrations make the table %s as log/tables.ts describes it", (table) => {
  const migrated = openFile(":memory:");
  migrate(migrated);
  const described = openFile(":memory:");
  for (const statement of ddlOf(table)) described.exec(statement);
  const shapeIn = (database: typeof migrated) => ({
    columns: database
      .prepare(`SELECT name, type, "notnull" FROM pragma_table_info('${table}')`)
      .all()
      .filter(({ name }) => Object.hasOwn(tables[table].columns, String(name)))
      .map((column) => ({ ...column })),
    indexes: database
      .prepare(`SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL ORDER BY name`)
      .all(table)
      .map(({ sql }) => sql),
  });
  expect(shapeIn(migrated)).toEqual(shapeIn(described));
  migrated.close();
  described.close();
});

it("every index of log/tables.ts names columns of its table", () => {
  for (const table of tableNames) {
    const { columns, indexes, key } = tables[table];
    for (const column of [key, ...indexes.flat()]) expect(Object.keys(columns), table).toContain(column);
  }
});
