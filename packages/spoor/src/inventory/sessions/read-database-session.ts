import type { SessionLogs } from "../../agents/session-log.ts";
import { readDatabase } from "./agent-database.ts";
import type { ReadResult } from "./read-result.ts";
import type { SessionPart } from "./session-files.ts";

/** Reads a session that is stored in a database: all of it, or until `isEnough` returns true. */
export function readDatabaseSession(
  { path, row }: SessionPart,
  logs: SessionLogs,
  isEnough?: (read: ReadResult) => boolean,
): ReadResult {
  const { records = "" } = logs.database ?? {};
  const begin = () => {
    const reader = logs.createReader();
    if (row) reader.record(row);
    return reader;
  };
  const { log } = begin();
  const head: ReadResult = { log, notes: [], isWhole: false };
  if (isEnough?.(head)) return head;
  return readDatabase(path, (database) => {
    const reader = begin();
    let unreadable = 0;
    let count = 0;
    for (const record of database.prepare(records).iterate(row?.key ?? "")) {
      try {
        reader.record({ ...record });
      } catch {
        unreadable += 1;
      }
      count += 1;
      if (isEnough && (count === MAX_HEAD_RECORDS || isEnough({ ...head, log: reader.log }))) {
        return { ...head, log: reader.log };
      }
    }
    const notes = unreadable > 0 ? [`${unreadable} of its records could not be read.`] : [];
    return { log: reader.log, notes, isWhole: true };
  });
}

const MAX_HEAD_RECORDS = 200;
