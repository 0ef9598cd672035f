import { readdirSync, readFileSync } from "node:fs";
import { LogError } from "../errors.ts";
import type { DatabaseSync } from "./driver.ts";

export interface Migration {
  version: number;
  sql: string;
}

/** Brings a log to the newest schema, each step in a transaction of its own. */
export function migrate(database: DatabaseSync, migrations: readonly Migration[] = builtIn()): void {
  const newest = migrations.at(-1)?.version ?? 0;
  if (versionOf(database) === newest) return;
  refuseNewer(database, newest);
  for (const { version, sql } of migrations) {
    if (version <= versionOf(database)) continue;
    database.exec("BEGIN IMMEDIATE");
    try {
      // Another process may have done this step while we waited for the lock.
      if (version > versionOf(database)) {
        database.exec(sql);
        database.exec(`PRAGMA user_version = ${version}; PRAGMA application_id = ${APPLICATION_ID}`);
      }
      database.exec("COMMIT");
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  }
}

/** The migrations in the numbered files of the folder `migrations`. */
export function builtIn(): Migration[] {
  const folder = new URL("./migrations/", import.meta.url);
  return readdirSync(folder)
    .filter((name) => /^\d{4}_.*\.sql$/.test(name))
    .sort()
    .map((name) => ({ version: Number(name.slice(0, 4)), sql: readFileSync(new URL(name, folder), "utf8") }));
}

/** Throws for a database that is not a log, before anything in it is changed. */
export function refuseForeign(database: DatabaseSync): void {
  if (Number(database.prepare("PRAGMA application_id").get()?.application_id) === APPLICATION_ID) return;
  // In this order: another process may be creating the log, which sets version and tables in one transaction.
  const version = versionOf(database);
  const names = database.prepare("SELECT name FROM sqlite_schema").all();
  const isNew = version === 0 && names.length === 0;
  // A log whose application id is damaged can still be read.
  const isOurs = ["event_types", "runs", "chunks"].every((ours) => names.some(({ name }) => name === ours));
  if (!isNew && !isOurs) throw new LogError("not_a_log", "This file is a SQLite database, but not a Spoor log.");
}

function refuseNewer(database: DatabaseSync, newest: number): void {
  const version = versionOf(database);
  if (version <= newest) return;
  throw new LogError(
    "newer_schema",
    `This log has schema ${version}, but this version of Spoor knows schemas only up to ${newest}.`,
  );
}

const versionOf = (database: DatabaseSync): number =>
  Number(database.prepare("PRAGMA user_version").get()?.user_version);

/** "spor" in ASCII. Programs such as `file` show it. */
const APPLICATION_ID = 0x73706f72;
