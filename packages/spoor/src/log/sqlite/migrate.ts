import { readdirSync, readFileSync } from "node:fs";
import { LogError } from "../errors.ts";
import type { DatabaseSync } from "./driver.ts";

export interface Migration {
  version: number;
  sql: string;
}

/** Brings a log to today's schema, each step in a transaction of its own. */
export function migrate(database: DatabaseSync, migrations: readonly Migration[] = builtIn()): void {
  const newest = migrations.at(-1)?.version ?? 0;
  if (versionOf(database) === newest) return;
  refuseForeign(database, newest);
  for (const { version, sql } of migrations) {
    if (version <= versionOf(database)) continue;
    database.exec("BEGIN IMMEDIATE");
    try {
      // Another process may have done it while we waited.
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

/** The numbered files beside this one. */
export function builtIn(): Migration[] {
  const folder = new URL("./migrations/", import.meta.url);
  return readdirSync(folder)
    .filter((name) => /^\d{4}_.*\.sql$/.test(name))
    .sort()
    .map((name) => ({ version: Number(name.slice(0, 4)), sql: readFileSync(new URL(name, folder), "utf8") }));
}

function refuseForeign(database: DatabaseSync, newest: number): void {
  const version = versionOf(database);
  const application = Number(database.prepare("PRAGMA application_id").get()?.application_id);
  const tables = Number(database.prepare("SELECT count(*) AS tables FROM sqlite_schema").get()?.tables);
  if (application !== APPLICATION_ID && tables > 0) {
    throw new LogError("not_a_log", "This file is a database, but not a log of Spoor's.");
  }
  if (version > newest) {
    throw new LogError("newer_schema", `This log has schema ${version}; this Spoor knows schemas up to ${newest}.`);
  }
}

const versionOf = (database: DatabaseSync): number =>
  Number(database.prepare("PRAGMA user_version").get()?.user_version);

/** "spor", for whoever asks what kind of file this is. */
const APPLICATION_ID = 0x73706f72;
