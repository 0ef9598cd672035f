import type { DatabaseSync, StatementSync } from "../driver.ts";

export type Statements = (sql: string) => StatementSync;

/** Prepares a statement when it is first needed, and keeps it. */
export function createStatements(database: DatabaseSync): Statements {
  const prepared = new Map<string, StatementSync>();
  return (sql) => {
    const known = prepared.get(sql);
    if (known) return known;
    if (prepared.size >= MAX_STATEMENTS) prepared.clear();
    const statement = database.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
}

/** Effects of the runtime have a few dozen shapes. */
const MAX_STATEMENTS = 200;

/** Names such as `by` and `key` are words of SQL. */
export const quoted = (name: string): string => `"${name}"`;
