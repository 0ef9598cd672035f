import type { Log, Piece } from "../../src/log/log.ts";
import type { NewRun } from "../../src/log/records.ts";

/** What every part of the suite works with. `log` is a new log in each test. */
export interface LogSuite {
  log: Log;
  /** The facts of a new run. */
  readonly create: NewRun;
  /** Opens the same log once more. */
  open(): Promise<Log>;
  /** What `openLog` takes as the directory, so that another process can open the same log. */
  address(): string;
  /** Reads a run to its end. */
  whole(run_id: string, from?: Log, after?: number): Promise<Piece[]>;
  /** Reads the whole log. */
  wholeLog(from?: Log, query?: object): Promise<Piece[]>;
}

/** The lines after a sequence. */
export const after = (lines: readonly string[], sequence: number): string[] =>
  lines.filter((line) => JSON.parse(line).sequence > sequence);

/** The numbers of a range. */
export const expand = ([first, count]: readonly [number, number]): number[] =>
  Array.from({ length: count }, (_, index) => first + index);
