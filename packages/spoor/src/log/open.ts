import { homedir } from "node:os";
import { join } from "node:path";
import type { Log } from "./log.ts";
import { openSqliteLog, type SqliteLogOptions } from "./sqlite/log.ts";

/** Opens the log in a data directory. */
export const openLog = (options: SqliteLogOptions): Log => openSqliteLog(options);

/** Where the log is when nobody says: `SPOOR_HOME`, else `.spoor` in the home directory. */
export const dataDirectory = (env: NodeJS.ProcessEnv = process.env): string =>
  env.SPOOR_HOME || join(homedir(), ".spoor");
