import path from "node:path";
import type { SessionDatabase } from "../../agents/session-log.ts";
import type { DatabaseSync } from "../../log/sqlite/driver.ts";
import { databaseVersion, readDatabase } from "./agent-database.ts";
import type { FindDatabaseSessions, SessionFile, SessionRow } from "./session-files.ts";

/**
 * Returns a function that lists the sessions stored in a database. It reads a database again only after it has changed.
 * A database that cannot be read, or whose tables differ from what we know, is listed as one session with a `problem`.
 */
export function createDatabaseSessionFinder(): FindDatabaseSessions {
  const known = new Map<string, { version: string; sessions: SessionFile[] }>();
  return (database) => {
    const version = databaseVersion(database.path);
    const before = known.get(database.path);
    if (before?.version === version) return before.sessions;
    const sessions = find(database);
    known.set(database.path, { version, sessions });
    return sessions;
  };
}

function find(database: Parameters<FindDatabaseSessions>[0]): SessionFile[] {
  const { logs, path: file, updatedAt } = database;
  const store = logs.database;
  if (!store) return [];
  try {
    const rows = readDatabase(file, (opened) => rowsOf(opened, store));
    const byKey = new Map(rows.map((row) => [row.key, row]));
    const families = Map.groupBy(rows, (row) => rootOf(row, byKey).key);
    return [...families].flatMap(([key, members]): SessionFile[] => {
      const row = byKey.get(key);
      if (!row) return [];
      const parts = members.filter((member) => member !== row);
      return [
        {
          ...database,
          key: `${file} ${key}`,
          version: String(row.updatedAt),
          id: row.id,
          updatedAt: row.updatedAt,
          row,
          parts: parts.map((part) => ({ ...database, updatedAt: part.updatedAt, row: part })),
        },
      ];
    });
  } catch (error) {
    const problem = (error as Error).message;
    return [
      { ...database, key: file, version: `${updatedAt} ${problem}`, id: path.basename(file), parts: [], problem },
    ];
  }
}

function rowsOf(database: DatabaseSync, { asOf, tables, sessions }: SessionDatabase): SessionRow[] {
  const missing = Object.entries(tables).flatMap(([table, columns]) => {
    const present = database.prepare("SELECT name FROM pragma_table_info(?)").all(table);
    const names = new Set(present.map(({ name }) => name));
    return columns.filter((column) => !names.has(column)).map((column) => `${table}.${column}`);
  });
  if (missing.length > 0) {
    throw new Error(`the database has no ${missing.join(", ")}, which version ${asOf} of the agent writes`);
  }
  return database
    .prepare(sessions)
    .all()
    .flatMap((row) => {
      const { id, key, parent, updatedAt } = row;
      if (typeof id !== "string" || typeof key !== "string" || typeof updatedAt !== "number") return [];
      return [{ ...row, id, key, updatedAt, parent: typeof parent === "string" ? parent : null }];
    });
}

/** Follows `parent` up to the main session. A subagent session whose parent was deleted is its own root. */
function rootOf(row: SessionRow, byKey: ReadonlyMap<string, SessionRow>): SessionRow {
  const visited = new Set<SessionRow>();
  let root = row;
  for (let next: SessionRow | undefined = row; next && !visited.has(next); next = byKey.get(next.parent ?? "")) {
    visited.add(next);
    root = next;
  }
  return root;
}
