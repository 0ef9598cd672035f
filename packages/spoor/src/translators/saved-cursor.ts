import type { Log } from "../log/log.ts";

/** How far a reader of the log has come, and what else it must know after a restart. */
export interface Place<State> {
  /** Everything up to this position is done, apart from what `state` says. */
  position: number;
  state: State;
}

/** The place of one reader, as a row of the log's table `cursors`. */
export interface SavedCursor<State> {
  /** What was saved last; undefined if nothing was. */
  read(): Promise<Place<State> | undefined>;
  /**
   * Saves what `current` returns. Calls that come while a save is running, or shortly after one, are joined, so that a busy
   * reader causes a few writes a second. After a failed save, the next one contains everything.
   */
  save(): void;
  /** Saves at once. Resolves when it is saved, or when saving failed. */
  saveNow(): Promise<void>;
  /** Resolves when everything is saved. */
  close(): Promise<void>;
}

export interface SavedCursorOptions<State> {
  log: Log;
  /** The key of the row. */
  name: string;
  current(): Place<State>;
  /** Called when saving fails, once until it works again. */
  onFault(error: Error): void;
}

/** Milliseconds between two saves. A process that is killed repeats at most what it did in this time. */
const PAUSE_MS = 200;

export function createSavedCursor<State>(options: SavedCursorOptions<State>): SavedCursor<State> {
  const { log, name, current, onFault } = options;
  const closing = Promise.withResolvers<void>();
  let isDirty = false;
  let saving: Promise<void> | undefined;

  const write = async (): Promise<void> => {
    const { position, state } = current();
    const columns = { position, state: JSON.stringify(state), updated_at: Date.now() };
    await log.rows.write([
      { do: "insert", table: "cursors", row: { name, ...columns }, ifExists: "keep" },
      { do: "update", table: "cursors", key: name, when: {}, set: columns },
    ]);
  };
  let isFaulty = false;
  const saveNow = async () => {
    try {
      await write();
      isFaulty = false;
    } catch (error) {
      if (!isFaulty) onFault(error as Error);
      isFaulty = true;
    }
  };
  const work = async () => {
    while (isDirty) {
      isDirty = false;
      await saveNow();
      await Promise.race([pause(), closing.promise]);
    }
    saving = undefined;
  };
  return {
    async read() {
      const row = await log.rows.find("cursors", name);
      return row && { position: row.position, state: JSON.parse(row.state ?? "null") as State };
    },
    save() {
      isDirty = true;
      saving ??= work();
    },
    saveNow,
    async close() {
      closing.resolve();
      while (saving) await saving;
    },
  };
}

const pause = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, PAUSE_MS).unref();
  });
