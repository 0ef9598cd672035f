import { LogError } from "../errors.ts";
import type { Log, Page, ReadQuery } from "../log.ts";
import { pageOf } from "../pieces/page.ts";
import { Publisher } from "../publisher.ts";
import { firstOf } from "../ranges.ts";
import { createCommandWatch } from "../watch-commands.ts";
import { filtersTexts } from "../work/run-filter.ts";
import { createCatchUp } from "./catch-up.ts";
import { type ConnectOptions, connect, logFile } from "./connection.ts";
import { createContext } from "./context.ts";
import type { DatabaseSync } from "./driver.ts";
import { openingFailureOf, translateErrors } from "./failure.ts";
import { createForeignWriteCheck } from "./foreign-write-check.ts";
import { createQueue } from "./queue.ts";
import { createReader } from "./read/reader.ts";
import { createRunTexts } from "./read/run-texts.ts";
import { openMarks } from "./recovery/marks.ts";
import { recoverLog } from "./recovery/recover.ts";
import { createRowWatch } from "./row-watch.ts";
import { createRows } from "./rows.ts";
import { createTapes } from "./tapes.ts";
import { createUpkeep } from "./upkeep/upkeep.ts";
import type { LockOptions } from "./write-lock.ts";
import { createWriter, type Published } from "./writer.ts";

export interface SqliteLogOptions extends ConnectOptions, LockOptions {
  now?: () => number;
  /** How many bytes of the newest events to keep in memory. */
  recentBytes?: number;
  /** How often to look for commits of other processes while anyone listens. */
  pollMs?: number;
}

export function openSqliteLog(options: SqliteLogOptions): Log {
  const database = connect(options);
  try {
    return createLog(database, options);
  } catch (error) {
    database.close();
    throw openingFailureOf(error, logFile(options.directory));
  }
}

function createLog(database: DatabaseSync, options: SqliteLogOptions): Log {
  const { recentBytes = 8 * 1024 * 1024, pollMs = 20 } = options;
  const path = logFile(options.directory);
  const context = createContext(database, options);
  const { tables, transaction } = context;
  const reader = createReader(context);
  const updateTexts = createRunTexts(context, reader);
  const unchangedSince = createForeignWriteCheck(database);
  const upkeep = createUpkeep(context);
  const tapes = createTapes(context);
  const marks = openMarks(path);
  // Before anything is written, so that no lost sequence or position is given a second time.
  recoverLog(context, path, marks);
  const publisher = new Publisher(recentBytes, reader.lastPosition());
  const catchUp = createCatchUp(publisher, reader, pollMs);
  const closing = new AbortController();
  const writer = createWriter(context, { path, marks, onCommit });
  const rows = createRows(context, writer);
  const rowWatch = createRowWatch(context, pollMs);

  /** Publishes our commit, after everything that other processes committed before it. */
  function onCommit({ pieces: [first, ...rest], hasRowChanges }: Published): void {
    if (first) {
      catchUp.upTo(firstOf(first.positions) - 1);
      for (const piece of [first, ...rest]) publisher.publish(piece);
    }
    if (hasRowChanges) rowWatch.report();
  }

  /** A page from memory, unless another process may have changed what the store holds of it. */
  function readRecent(run_id: string, query: ReadQuery): Page | undefined {
    const pieces = publisher.recent.after(run_id, query.after ?? -1);
    const first = pieces?.[0];
    if (!pieces || !first || firstOf(first.positions) < unchangedSince(publisher.lastPosition + 1)) return undefined;
    return pageOf(pieces, query);
  }

  return {
    directory: options.directory,
    append: (batch) => writer.append(batch),
    claim: (run_id) =>
      transaction(() => {
        const row = reader.requireRun(run_id);
        tables.runs.update({ ...row, epoch: row.epoch + 1 });
        return row.epoch + 1;
      }),
    read: async (run_id, query = {}) => translateErrors(() => readRecent(run_id, query) ?? reader.read(run_id, query)),
    readAll: async (query) => reader.readAll(query),
    positionBefore: async (time) => reader.positionBefore(time),
    run: async (run_id) => reader.run(run_id),
    async runs(query = {}) {
      if (filtersTexts(query)) await updateTexts();
      return reader.runs(query);
    },
    task: async (task_id) => reader.task(task_id),
    tasks: async (query) => reader.tasks(query),
    rows,
    queue: createQueue(context, reader, writer),
    watchRows: rowWatch.watch,
    watchCommands: createCommandWatch(rows, rowWatch.watch),
    recent: publisher.recent,
    watch: (listener) => catchUp.watch(listener),
    get lastPosition() {
      return publisher.lastPosition;
    },
    get fault() {
      return writer.fault;
    },
    upkeep: {
      ...upkeep,
      prune: async (...order) => {
        await upkeep.prune(...order);
        publisher.recent.clear();
        rowWatch.report();
      },
    },
    tapes,
    closed: closing.signal,
    async close() {
      await writer.close(new LogError("closed", "The log was closed."));
      closing.abort();
      catchUp.close();
      rowWatch.close();
      marks.close();
      if (database.isOpen) database.close();
    },
  };
}
