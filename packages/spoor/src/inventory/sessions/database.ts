import { constants, copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { type DatabaseSync, openFile } from "../../log/sqlite/driver.ts";

/**
 * Reads an agent's SQLite file, and neither makes, changes nor deletes anything beside it.
 *
 * - With nothing in its write-ahead log, it is read as a file that does not change. If it did meanwhile, once more.
 * - Else together with the log, by the index of it that the agent left there, which is only looked at: an agent may leave
 *   the most of what it knows in the log, and a store of gigabytes is not to be copied for a list.
 * - Where no index is of use, SQLite would have to make one: then a copy is read, if it is not too large.
 */
export function readDatabase<Value>(file: string, read: (database: DatabaseSync) => Value): Value {
  for (let attempt = 1; ; attempt += 1) {
    const version = versionOf(file);
    const isSame = () => attempt === ATTEMPTS || versionOf(file) === version;
    try {
      const opened = take(file, version);
      const value = read(opened.database);
      if (!opened.isStill || isSame()) return value;
    } catch (error) {
      // What is written to while it is read may look damaged.
      if (isSame()) throw error;
    } finally {
      if (holders === 0) letGo();
    }
  }
}

/** Keeps what is opened meanwhile open: reading the log from its beginning for each of many sessions takes long. */
export async function holding<Value>(work: () => Promise<Value>): Promise<Value> {
  holders += 1;
  try {
    return await work();
  } finally {
    holders -= 1;
    if (holders === 0) letGo();
  }
}

/** Changes whenever the database does. */
export const versionOf = (file: string): string => `${stateOf(file)} ${stateOf(`${file}-wal`)}`;

interface Opened {
  database: DatabaseSync;
  version: string;
  /** It is read as if nobody wrote to it. */
  isStill: boolean;
  close(): void;
}

/** By file. */
const kept = new Map<string, Opened>();
let holders = 0;

function take(file: string, version: string): Opened {
  const before = kept.get(file);
  if (before?.version === version) return before;
  before?.close();
  kept.delete(file);
  const opened = { version, ...open(file) };
  kept.set(file, opened);
  return opened;
}

function letGo(): void {
  for (const opened of kept.values()) opened.close();
  kept.clear();
}

function open(file: string): Omit<Opened, "version"> {
  const isStill = (statOf(`${file}-wal`)?.size ?? 0) === 0;
  const database = isStill ? openAs(file, "immutable=1") : statOf(`${file}-shm`) && openShared(file);
  return database ? { database, isStill, close: () => database.close() } : openCopy(file);
}

/** Nothing where SQLite finds the index to be of no use to one who may not write to it. */
function openShared(file: string): DatabaseSync | undefined {
  const database = openAs(file, "mode=ro&readonly_shm=1");
  try {
    database.prepare("SELECT count(*) FROM sqlite_master").get();
    return database;
  } catch (error) {
    database.close();
    if (unshared.includes((error as { errcode?: number }).errcode ?? 0)) return undefined;
    throw error;
  }
}

function openCopy(file: string): Omit<Opened, "version"> {
  const bytes = (statOf(file)?.size ?? 0) + (statOf(`${file}-wal`)?.size ?? 0);
  if (bytes > MOST_COPIED_BYTES) {
    const [size, most] = [bytes, MOST_COPIED_BYTES].map((count) => `${Math.round(count / 2 ** 20)} MiB`);
    throw new Error(`a copy of it would have to be made, of ${size}; the most is ${most}`);
  }
  const folder = mkdtempSync(path.join(tmpdir(), "spoor-sessions-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = path.join(folder, "copy.db");
    const before = stateOf(file);
    copyFileSync(file, copy, constants.COPYFILE_FICLONE);
    copyFileSync(`${file}-wal`, `${copy}-wal`, constants.COPYFILE_FICLONE);
    // What was moved meanwhile from the log into the file would be in neither copy.
    if (stateOf(file) !== before) throw new Error("it was written to while it was copied");
    const database = openFile(copy, { readOnly: true });
    const close = () => {
      database.close();
      remove();
    };
    return { database, isStill: false, close };
  } catch (error) {
    remove();
    throw error;
  }
}

function openAs(file: string, how: string): DatabaseSync {
  const url = pathToFileURL(file);
  url.search = how;
  return openFile(url, { readOnly: true });
}

const statOf = (file: string) => statSync(file, { throwIfNoEntry: false });

function stateOf(file: string): string {
  const stats = statOf(file);
  return stats ? `${stats.mtimeMs} ${stats.size}` : "";
}

/** SQLITE_CANTOPEN, SQLITE_READONLY_RECOVERY and SQLITE_READONLY_CANTINIT. */
const unshared = [14, 264, 1288];
const ATTEMPTS = 3;
const MOST_COPIED_BYTES = 512 * 2 ** 20;
