import { constants, copyFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { type DatabaseSync, openFile } from "../../log/sqlite/driver.ts";

/**
 * Reads an agent's SQLite file without creating, changing or deleting anything beside it.
 *
 * - If the write-ahead log is empty, the file is opened as immutable. If it changed during the read, the read is repeated.
 * - Otherwise the file is read together with the log through the shared-memory index that the agent left. We open that
 *   index read-only. An agent may leave most of its data in the log, and copying gigabytes for a list takes too long.
 * - If there is no usable index, SQLite would have to create one, so a copy is read, up to a size limit.
 */
export function readDatabase<Value>(file: string, read: (database: DatabaseSync) => Value): Value {
  for (let attempt = 1; ; attempt += 1) {
    const version = databaseVersion(file);
    const isSame = () => attempt === ATTEMPTS || databaseVersion(file) === version;
    try {
      const opened = openCached(file, version);
      const value = read(opened.database);
      if (!opened.isImmutable || isSame()) return value;
    } catch (error) {
      // A file that changes during the read may look damaged, so the read is repeated.
      if (isSame()) throw error;
    } finally {
      if (users === 0) closeAll();
    }
  }
}

/** Keeps databases open while `work` runs: reading the log from its beginning for each of many sessions takes long. */
export async function withDatabasesOpen<Value>(work: () => Promise<Value>): Promise<Value> {
  users += 1;
  try {
    return await work();
  } finally {
    users -= 1;
    if (users === 0) closeAll();
  }
}

/** A text that changes whenever the database changes. */
export const databaseVersion = (file: string): string => `${stateOf(file)} ${stateOf(`${file}-wal`)}`;

interface Opened {
  database: DatabaseSync;
  version: string;
  /** Opened as immutable: SQLite assumes that nobody writes to the file. */
  isImmutable: boolean;
  close(): void;
}

/** Open databases by file path. */
const openDatabases = new Map<string, Opened>();
let users = 0;

function openCached(file: string, version: string): Opened {
  const before = openDatabases.get(file);
  if (before?.version === version) return before;
  before?.close();
  openDatabases.delete(file);
  const opened = { version, ...open(file) };
  openDatabases.set(file, opened);
  return opened;
}

function closeAll(): void {
  for (const opened of openDatabases.values()) opened.close();
  openDatabases.clear();
}

function open(file: string): Omit<Opened, "version"> {
  const isImmutable = (statOf(`${file}-wal`)?.size ?? 0) === 0;
  const database = isImmutable ? openAs(file, "immutable=1") : statOf(`${file}-shm`) && openShared(file);
  return database ? { database, isImmutable, close: () => database.close() } : openCopy(file);
}

/** Returns undefined when SQLite cannot use the index without writing to it. */
function openShared(file: string): DatabaseSync | undefined {
  const database = openAs(file, "mode=ro&readonly_shm=1");
  try {
    database.prepare("SELECT count(*) FROM sqlite_master").get();
    return database;
  } catch (error) {
    database.close();
    if (UNUSABLE_INDEX.includes((error as { errcode?: number }).errcode ?? 0)) return undefined;
    throw error;
  }
}

function openCopy(file: string): Omit<Opened, "version"> {
  const bytes = (statOf(file)?.size ?? 0) + (statOf(`${file}-wal`)?.size ?? 0);
  if (bytes > MAX_COPIED_BYTES) {
    const [size, most] = [bytes, MAX_COPIED_BYTES].map((count) => `${Math.round(count / 2 ** 20)} MiB`);
    throw new Error(`reading it needs a copy of ${size}, and the limit is ${most}`);
  }
  const folder = mkdtempSync(path.join(tmpdir(), "spoor-sessions-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = path.join(folder, "copy.db");
    const before = stateOf(file);
    copyFileSync(file, copy, constants.COPYFILE_FICLONE);
    copyFileSync(`${file}-wal`, `${copy}-wal`, constants.COPYFILE_FICLONE);
    // A checkpoint between the two copies would move data from the log into the file, so that neither copy has it.
    if (stateOf(file) !== before) throw new Error("the agent wrote to it while it was copied");
    const database = openFile(copy, { readOnly: true });
    const close = () => {
      database.close();
      remove();
    };
    return { database, isImmutable: false, close };
  } catch (error) {
    remove();
    throw error;
  }
}

function openAs(file: string, parameters: string): DatabaseSync {
  const url = pathToFileURL(file);
  url.search = parameters;
  return openFile(url, { readOnly: true });
}

const statOf = (file: string) => statSync(file, { throwIfNoEntry: false });

function stateOf(file: string): string {
  const stats = statOf(file);
  return stats ? `${stats.mtimeMs} ${stats.size}` : "";
}

/** Error codes SQLITE_CANTOPEN, SQLITE_READONLY_RECOVERY and SQLITE_READONLY_CANTINIT. */
const UNUSABLE_INDEX = [14, 264, 1288];
const ATTEMPTS = 3;
const MAX_COPIED_BYTES = 512 * 2 ** 20;
