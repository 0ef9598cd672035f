import path from "node:path";
import type { SessionDatabase, SessionLogs } from "../../agents/session-log.ts";
import type { DatabaseSync } from "../../log/sqlite/driver.ts";
import { readDatabase, versionOf } from "./database.ts";
import type { Read } from "./read.ts";
import type { FindRows, SessionFile, SessionPart, SessionRow } from "./session-files.ts";

/**
 * Finds the sessions in databases, and looks into one again only when it has changed. One that cannot be read, or that is
 * of another kind than we know, counts as a session with a problem.
 */
export function createRowFinder(): FindRows {
  const known = new Map<string, { version: string; sessions: SessionFile[] }>();
  return (database) => {
    const version = versionOf(database.path);
    const before = known.get(database.path);
    if (before?.version === version) return before.sessions;
    const sessions = find(database);
    known.set(database.path, { version, sessions });
    return sessions;
  };
}

/** As much of a session as is enough, else all of it. */
export function readRows({ path, row }: SessionPart, logs: SessionLogs, isEnough?: (read: Read) => boolean): Read {
  const { records = "" } = logs.database ?? {};
  const begin = () => {
    const reader = logs.createReader();
    if (row) reader.record(row);
    return reader;
  };
  const { log } = begin();
  const head: Read = { log, notes: [], isWhole: false };
  if (isEnough?.(head)) return head;
  return readDatabase(path, (database) => {
    const reader = begin();
    let unreadable = 0;
    let count = 0;
    for (const record of database.prepare(records).iterate(row?.key ?? "")) {
      try {
        reader.record({ ...record });
      } catch {
        unreadable += 1;
      }
      count += 1;
      if (isEnough && (count === MOST_HEAD_RECORDS || isEnough({ ...head, log: reader.log }))) {
        return { ...head, log: reader.log };
      }
    }
    const notes = unreadable > 0 ? [`${unreadable} of its records could not be read.`] : [];
    return { log: reader.log, notes, isWhole: true };
  });
}

function find(database: Parameters<FindRows>[0]): SessionFile[] {
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
    const there = database.prepare("SELECT name FROM pragma_table_info(?)").all(table);
    const names = new Set(there.map(({ name }) => name));
    return columns.filter((column) => !names.has(column)).map((column) => `${table}.${column}`);
  });
  if (missing.length > 0) {
    throw new Error(`there is no ${missing.join(", ")}, which version ${asOf} of the agent has`);
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

/** Whom a session helps in the end. One whose own is gone stands by itself. */
function rootOf(row: SessionRow, byKey: ReadonlyMap<string, SessionRow>): SessionRow {
  const passed = new Set<SessionRow>();
  let root = row;
  for (let next: SessionRow | undefined = row; next && !passed.has(next); next = byKey.get(next.parent ?? "")) {
    passed.add(next);
    root = next;
  }
  return root;
}

const MOST_HEAD_RECORDS = 200;
