import type { NewRow, Row, Table } from "./tables.ts";

/**
 * A change of one row. The effects of an append are written in its transaction: all of them and all events, or nothing. They
 * happen in their order, and a later one sees what an earlier one did. If one cannot be done, the error has the code
 * `conflict` and holds the row that stands in the way.
 *
 * @example
 * await log.rows.write([
 *   { do: "update", table: "tasks", key: "task_nightly", when: { active_run_id: null }, set: { title: "Nightly" } },
 * ]);
 */
export type Effect<T extends Table = Table> = {
  [K in T]: InsertEffect<K> | UpdateEffect<K> | DeleteEffect<K>;
}[T];

/** Adds a row. */
export interface InsertEffect<T extends Table = Table> {
  do: "insert";
  table: T;
  row: NewRow<T>;
  /** With `keep`, a row that exists already stays as it is; otherwise it is a conflict. */
  ifExists?: "keep";
}

/** Changes columns of a row. If there is no row with this key and these values, that is a conflict. */
export interface UpdateEffect<T extends Table = Table> {
  do: "update";
  table: T;
  key: string;
  /** The values that the row must have. */
  when: Partial<Row<T>>;
  /** Empty if the row is only compared. */
  set: Partial<Row<T>>;
  /** With `keep`, a row with other values, or none at all, stays as it is; otherwise it is a conflict. */
  ifDiffers?: "keep";
}

/** Deletes a row. Without `when`, a row that does not exist is no conflict. */
export interface DeleteEffect<T extends Table = Table> {
  do: "delete";
  table: T;
  key: string;
  when?: Partial<Row<T>>;
  /** With `keep`, a row with other values than `when` stays; otherwise it is a conflict. */
  ifDiffers?: "keep";
}

/** The rows of a log's tables. */
export interface Rows {
  find<T extends Table>(table: T, key: string): Promise<Row<T> | undefined>;
  list<T extends Table>(table: T, query?: RowQuery<T>): Promise<{ rows: Row<T>[]; more: boolean }>;
  /**
   * Writes what belongs to no event, all of it or nothing. A second call with the same key does nothing.
   *
   * @throws {LogError} with the code `conflict` if an effect cannot be done.
   */
  write(effects: readonly Effect[], options?: { idempotency_key?: string }): Promise<void>;
}

/** Selects rows of a table. */
export interface RowQuery<T extends Table = Table> {
  /** The values that the columns must have. An array means any of its values. */
  where?: { [C in keyof Row<T>]?: Row<T>[C] | readonly Row<T>[C][] };
  /** The column that rows are ordered by; null is less than any value. Rows with the same value are ordered by their key. */
  order?: keyof Row<T> & string;
  descending?: boolean;
  /** Only rows that follow the row with this key in the order. If that row is gone and `order` is not the key: no rows. */
  after?: string;
  /** Only rows that precede the row with this key: those closest to it, in the same order. */
  before?: string;
  /** Default: 50. */
  limit?: number;
}
