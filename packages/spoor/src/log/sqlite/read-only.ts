import { chmodSync, constants, copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LogError } from "../errors.ts";
import type { Log } from "../log.ts";
import { logFile } from "./connection.ts";
import { openSqliteLog, type SqliteLogOptions } from "./log.ts";

/**
 * Opens a log on a read-only disk through a private copy: SQLite needs to write files beside a database that it reads, and
 * opening a log may have to store a gap for lost events. `close` removes the copy. Every method that writes throws.
 */
export function openReadOnly(options: SqliteLogOptions): Log {
  const copy = mkdtempSync(join(tmpdir(), "spoor-read-only-"));
  try {
    for (const end of ["", "-wal", ".marks", ".last"]) {
      const file = `${logFile(options.directory)}${end}`;
      if (!existsSync(file)) continue;
      copyFileSync(file, `${logFile(copy)}${end}`, constants.COPYFILE_FICLONE);
      // The copy has the mode of the original, which may be read-only.
      chmodSync(`${logFile(copy)}${end}`, 0o600);
    }
    return readOnly(openSqliteLog({ ...options, directory: copy }), options.directory, copy);
  } catch (error) {
    rmSync(copy, { recursive: true, force: true });
    throw error;
  }
}

function readOnly(log: Log, directory: string, copy: string): Log {
  const refuse = async (): Promise<never> => {
    throw new LogError("no_access", `The log in ${directory} is on a read-only disk, so nothing can be written to it.`);
  };
  return {
    append: refuse,
    claim: refuse,
    read: (run_id, query) => log.read(run_id, query),
    readAll: (query) => log.readAll(query),
    run: (run_id) => log.run(run_id),
    runs: (query) => log.runs(query),
    task: (task_id) => log.task(task_id),
    tasks: (query) => log.tasks(query),
    positionBefore: (time) => log.positionBefore(time),
    rows: {
      find: (table, key) => log.rows.find(table, key),
      list: (table, query) => log.rows.list(table, query),
      write: refuse,
    },
    queue: { claim: refuse, extend: refuse, release: refuse },
    watchRows: (listener) => log.watchRows(listener),
    watchCommands: (run_id, listener) => log.watchCommands(run_id, listener),
    recent: log.recent,
    watch: (listener) => log.watch(listener),
    lastPosition: log.lastPosition,
    fault: log.fault,
    upkeep: {
      merge: refuse,
      prune: refuse,
      shrink: refuse,
      forgetKeys: refuse,
      verify: (run_id) => log.upkeep.verify(run_id),
    },
    tapes: { append: refuse, read: (run_id) => log.tapes.read(run_id) },
    closed: log.closed,
    async close() {
      await log.close();
      rmSync(copy, { recursive: true, force: true });
    },
  };
}
