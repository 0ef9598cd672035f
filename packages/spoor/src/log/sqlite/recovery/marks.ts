import { closeSync, constants, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import { factsOf, type RunRow } from "../../chunks/run-row.ts";
import { readHighWaterMark, writeHighWaterMark } from "./high-water-mark.ts";

/** The last sequence and position of a run after a commit. */
export interface Mark {
  run_id: string;
  last_sequence: number;
  last_position: number;
  /** The columns that are needed to recreate the run's row. */
  run?: MarkedRun;
}

export interface MarkedRun extends Pick<RunRow, "task_id" | "session_id" | "agent" | "kind" | "created_at"> {
  worker_id?: string;
}

export interface Marks {
  /** The greatest mark of each run. Damaged entries are left out. */
  read(): Map<string, Mark>;
  /** Notes the runs of one commit with one write. Call it after the commit and before the commit is published. */
  note(rows: readonly RunRow[]): void;
  /** Bytes of the file. */
  size(): number;
  close(): void;
}

/**
 * Opens `spoor.db.marks`, which holds the last sequence of each run after every commit since the last complete checkpoint.
 * SQLite silently drops the end of a write-ahead log that it cannot read; comparing the log with this file on opening
 * detects that. Several processes append to the file. A missing entry hides a loss, but no entry is ever written for a
 * commit that did not happen.
 */
export function openMarks(database: string): Marks {
  const path = marksFile(database);
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW } = constants;
  const file = openSync(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
  /** Runs that this process has described in an entry. If a checkpoint cleared that entry, the run's row is in the file. */
  const described = new Set<string>();
  let isOpen = true;
  return {
    read: () => readMarks(database),
    note(rows) {
      try {
        writeSync(file, rows.map((row) => entryOf(row, described)).join(""));
      } catch {
        // The disk is full. The mark is missing, which does not affect the commit.
      }
    },
    size: () => fstatSync(file).size,
    close() {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}

/** The greatest mark of each run in the marks file of a database; none if there is no such file. */
export function readMarks(database: string): Map<string, Mark> {
  const marks = new Map<string, Mark>();
  for (const line of textOf(marksFile(database)).split("\n")) {
    const mark = parse(line);
    if (!mark) continue;
    const known = marks.get(mark.run_id);
    const run = mark.run ?? known?.run;
    const greatest = known && known.last_sequence > mark.last_sequence ? known : mark;
    marks.set(mark.run_id, { ...greatest, ...(run && { run }) });
  }
  return marks;
}

/**
 * Empties the marks file. The caller must hold the write lock and must know that every commit is in the database's own
 * file: those commits cannot be lost with the write-ahead log any more.
 */
export function clearMarks(database: string, lastPosition: number): void {
  writeHighWaterMark(database, Math.max(lastPosition, readHighWaterMark(database)));
  const file = openSync(marksFile(database), constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  try {
    ftruncateSync(file);
  } finally {
    closeSync(file);
  }
}

export const marksFile = (database: string): string => `${database}.marks`;

/** Begins with the newline, so that an entry that a crash cut short damages only itself. */
function entryOf(row: RunRow, described: Set<string>): string {
  const { run_id, last_sequence, last_position } = row;
  const place = [run_id, last_sequence, last_position];
  const text = JSON.stringify(described.has(run_id) ? place : [...place, describe(row)]);
  described.add(run_id);
  return `\n${text} ${crc32(text)}`;
}

function describe(row: RunRow): MarkedRun {
  const { task_id, session_id, agent, kind, created_at } = row;
  const { worker_id } = factsOf(row);
  return { task_id, session_id, agent, kind, created_at, ...(worker_id !== undefined && { worker_id }) };
}

function parse(line: string): Mark | undefined {
  const end = line.lastIndexOf(" ");
  const text = line.slice(0, end);
  if (end === -1 || String(crc32(text)) !== line.slice(end + 1)) return undefined;
  const [run_id, last_sequence, last_position, run] = JSON.parse(text);
  return { run_id, last_sequence, last_position, ...(run && { run }) };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
