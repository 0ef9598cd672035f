import { LogError } from "../errors.ts";
import { createGroupCommit } from "../group-commit.ts";
import type { Log, Page, Piece, ReadAllQuery, ReadQuery, Receipt, RunAppend } from "../log.ts";
import { pageOf } from "../pieces/page.ts";
import { RecentPieces } from "../pieces/recent.ts";
import { firstOf, lastOf } from "../ranges.ts";
import type { RunQuery, TaskQuery } from "../records.ts";
import { createCheckpointer } from "./checkpoint.ts";
import { type Committed, createCommit } from "./commit.ts";
import { type ConnectOptions, connect, logFile } from "./connection.ts";
import { BUSY_TIMEOUT_MS, type DatabaseSync } from "./driver.ts";
import { failureOf, isDiskFault, openingFailureOf } from "./failure.ts";
import { createPresence } from "./file-identity.ts";
import { createUndisturbed } from "./foreign-write-check.ts";
import { createTimeFinder } from "./read/find-time.ts";
import { createLists } from "./read/lists.ts";
import { createLogReader } from "./read/read-all.ts";
import { createRunReader } from "./read/read-run.ts";
import { settleMarks } from "./recovery/clear-marks.ts";
import { readHighWater } from "./recovery/high-water-mark.ts";
import { type Marks, openMarks } from "./recovery/marks.ts";
import { recoverLost } from "./recovery/recover.ts";
import type { RunRow } from "./tables/run-rows.ts";
import { createStore } from "./tables/tables.ts";
import { createTapes } from "./tapes.ts";
import { createImmediateTransaction, createSnapshot, createTransaction } from "./transaction.ts";
import { createUpkeep } from "./upkeep/upkeep.ts";
import { createWriteLock, type LockOptions, type WriteLock } from "./write-lock.ts";

export interface SqliteLogOptions extends ConnectOptions, LockOptions {
  now?: () => number;
  /** How much of the newest is kept at hand. */
  recentBytes?: number;
  /** How often to look for what other processes committed, while someone listens. */
  pollMs?: number;
}

/** More marks than this take longer to compare than to settle. */
const MARKS_BYTES = 256 * 1024;

export function openSqliteLog(options: SqliteLogOptions): Log {
  const database = connect(options);
  try {
    return new SqliteLog(database, options);
  } catch (error) {
    database.close();
    throw openingFailureOf(error);
  }
}

class SqliteLog implements Log {
  readonly recent: RecentPieces;
  readonly upkeep: Log["upkeep"];
  readonly tapes: Log["tapes"];
  lastPosition: number;
  fault: LogError | undefined;
  readonly #database: DatabaseSync;
  readonly #store: ReturnType<typeof createStore>;
  readonly #commit: ReturnType<typeof createCommit>;
  readonly #lock: WriteLock;
  readonly #transaction: ReturnType<typeof createTransaction>;
  readonly #snapshot: ReturnType<typeof createSnapshot>;
  readonly #readRun: ReturnType<typeof createRunReader>;
  readonly #readAll: ReturnType<typeof createLogReader>;
  readonly #firstAt: ReturnType<typeof createTimeFinder>;
  readonly #lists: ReturnType<typeof createLists>;
  readonly #undisturbed: ReturnType<typeof createUndisturbed>;
  readonly #group = createGroupCommit((batches) => {
    const { held } = this.#checkpointer;
    return held ? held.then(() => this.#write(batches)) : this.#write(batches);
  });
  readonly #checkpointer: ReturnType<typeof createCheckpointer>;
  readonly #listeners = new Set<(piece: Piece) => void>();
  readonly #marks: Marks;
  readonly #requirePresence: () => void;
  readonly #pollMs: number;
  #poll: NodeJS.Timeout | undefined;

  constructor(database: DatabaseSync, options: SqliteLogOptions) {
    const { now = Date.now, recentBytes = 8 * 1024 * 1024, pollMs = 20 } = options;
    this.#database = database;
    this.#store = createStore(this.#database);
    this.#lock = createWriteLock(this.#database, BUSY_TIMEOUT_MS, options);
    this.#transaction = createTransaction(this.#database, this.#lock);
    this.#snapshot = createSnapshot(this.#database);
    this.#commit = createCommit(this.#store, now);
    this.#readRun = createRunReader(this.#database, this.#store);
    this.#readAll = createLogReader(this.#database, this.#store);
    this.#firstAt = createTimeFinder(this.#database, this.#store);
    this.#lists = createLists(this.#database);
    this.#undisturbed = createUndisturbed(this.#database);
    this.#checkpointer = createCheckpointer(this.#database, logFile(options.directory));
    this.#pollMs = pollMs;
    this.recent = new RecentPieces(recentBytes);
    const upkeep = createUpkeep({
      database: this.#database,
      store: this.#store,
      transaction: this.#transaction,
      lock: this.#lock,
      snapshot: this.#snapshot,
      now,
    });
    this.upkeep = {
      ...upkeep,
      prune: async (run_id, through, reason) => {
        await upkeep.prune(run_id, through, reason);
        this.recent.clear();
      },
    };
    this.tapes = createTapes({
      database: this.#database,
      runs: this.#store.runs,
      keys: this.#store.keys,
      transaction: this.#transaction,
      now,
    });
    this.#marks = openMarks(logFile(options.directory));
    this.#requirePresence = createPresence(logFile(options.directory));
    this.#recover(logFile(options.directory), now);
    this.lastPosition = this.#store.chunks.lastPosition();
  }

  async append(batch: readonly RunAppend[]): Promise<Receipt[]> {
    if (this.fault) throw this.fault;
    return this.#group.append(batch);
  }

  async claim(run_id: string): Promise<number> {
    return this.#transaction(() => {
      const row = this.#require(run_id);
      this.#store.runs.update({ ...row, epoch: row.epoch + 1 });
      return row.epoch + 1;
    });
  }

  async read(run_id: string, query: ReadQuery = {}): Promise<Page> {
    return told(() => this.#atHand(run_id, query) ?? this.#snapshot(() => this.#readRun(this.#require(run_id), query)));
  }

  async readAll(query?: ReadAllQuery): Promise<Page> {
    return told(() => this.#snapshot(() => this.#readAll(query)));
  }

  async positionBefore(time: number): Promise<number> {
    const first = told(() => this.#snapshot(() => this.#firstAt(time)));
    return first === undefined ? this.#store.chunks.lastPosition() : first - 1;
  }

  async run(run_id: string) {
    return told(() => {
      const row = this.#store.runs.find(run_id);
      return row && this.#lists.record(row);
    });
  }

  async runs(query?: RunQuery) {
    return told(() => this.#lists.runs(query));
  }

  async task(task_id: string) {
    return told(() => this.#lists.task(task_id));
  }

  async tasks(query?: TaskQuery) {
    return told(() => this.#lists.tasks(query));
  }

  watch(listener: (piece: Piece) => void): () => void {
    this.#catchUp();
    this.#listeners.add(listener);
    this.#poll ??= setInterval(() => this.#catchUp(), this.#pollMs).unref();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#poll);
      this.#poll = undefined;
    };
  }

  async close(): Promise<void> {
    await this.#group.idle();
    this.fault ??= new LogError("closed", "The log was closed.");
    clearInterval(this.#poll);
    await this.#checkpointer.close();
    this.#marks.close();
    if (this.#database.isOpen) this.#database.close();
  }

  /** A page of what is in memory, if it must be what the store holds. */
  #atHand(run_id: string, query: ReadQuery): Page | undefined {
    const pieces = this.recent.after(run_id, query.after ?? -1);
    const [first] = pieces ?? [];
    if (!pieces || !first || firstOf(first.positions) < this.#undisturbed(this.lastPosition + 1)) return undefined;
    return pageOf(pieces, query);
  }

  /** One commit, then everyone who listens: what others committed before it comes first. */
  async #write(batches: readonly (readonly RunAppend[])[]): Promise<(Receipt[] | Error)[]> {
    if (this.fault) throw this.fault;
    try {
      this.#requirePresence();
      const { outcomes } = await this.#transaction(
        () => this.#commit(batches),
        (committed) => this.#tellAll(committed),
      );
      return outcomes;
    } catch (error) {
      this.#store.types.forget();
      const failure = failureOf(error);
      // A disk that failed once is not asked again: what it said it wrote may not be there.
      if (isDiskFault(failure)) this.fault = failure;
      throw failure;
    }
  }

  /** It is durable, and nothing that goes wrong in telling of it undoes it. */
  #tellAll({ pieces, rows }: Committed): void {
    if (rows.length > 0) this.#marks.note(rows);
    const first = pieces[0]?.positions[0]?.[0];
    if (first !== undefined) this.#catchUp(first - 1);
    for (const piece of pieces) this.#tell(piece);
    this.#checkpointer.committed(pieces.reduce((sum, { bytes }) => sum + bytes.length, 0));
  }

  /** Before anything is written: what the log had and has no more is told, and never given again. */
  #recover(path: string, now: () => number): void {
    const store = this.#store;
    const highWater = readHighWater(path);
    const transaction = createImmediateTransaction(this.#database);
    recoverLost({ store, transaction, now, marks: this.#marks.read(), highWater });
    store.chunks.reserve(highWater);
    if (this.#marks.size() > MARKS_BYTES) settleMarks(this.#database, path);
  }

  /** Tells of what other processes committed, up to a position. */
  #catchUp(position?: number): void {
    try {
      const upTo = position ?? this.#store.chunks.lastPosition();
      while (this.lastPosition < upTo) {
        const query = { after: this.lastPosition, limit: upTo - this.lastPosition };
        const { pieces, next } = this.#snapshot(() => this.#readAll(query));
        for (const piece of pieces) if (lastOf(piece.positions) <= upTo) this.#tell(piece);
        this.lastPosition = Math.min(next, upTo);
      }
    } catch {
      // Damage: the recent pieces have a hole now, so whoever follows reads the store, and is told there.
      if (position !== undefined) this.lastPosition = position;
    }
  }

  #tell(piece: Piece): void {
    this.lastPosition = lastOf(piece.positions);
    this.recent.push(piece);
    for (const listener of this.#listeners) {
      try {
        listener(piece);
      } catch (error) {
        process.emitWarning(error as Error);
      }
    }
  }

  #require(run_id: string): RunRow {
    const row = this.#store.runs.find(run_id);
    if (!row) throw new LogError("run_not_found", `There is no run ${run_id}.`);
    return row;
  }
}

/** Whatever SQLite says, in our words. */
function told<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw failureOf(error);
  }
}
