import { LogError, type LogErrorCode } from "../errors.ts";

/** Translates an error of SQLite into a LogError. A LogError is returned unchanged. */
export function failureOf(error: unknown): LogError {
  if (error instanceof LogError) return error;
  // Node's error for statements of a closed database, which SQLite itself never sees.
  if ((error as { code?: unknown }).code === "ERR_INVALID_STATE") {
    return new LogError("closed", "The log was closed.", { cause: error });
  }
  const errcode = Number((error as { errcode?: unknown }).errcode ?? 0);
  const [code, what] = extended[errcode] ?? codes[errcode & 0xff] ?? ["write_failed", "The log could not be written"];
  return logError(code, what, error);
}

/** Runs work and translates the errors it throws. */
export function translateErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw failureOf(error);
  }
}

/**
 * Translates an error that happened while the log was opened. Then a refusal means that we have no access, not that the
 * disk failed, and a damaged file cannot be read at all.
 */
export function openingFailureOf(error: unknown, file: string): LogError {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  const isRefused = noAccess.has(String(code)) || noAccess.has(Number(errcode ?? 0) & 0xff);
  if (isRefused) return logError("no_access", `The log ${file} cannot be opened`, error);
  const failure = failureOf(error);
  if (failure.code !== "damaged") return failure;
  return logError("unreadable", `The log ${file} cannot be opened, because it is damaged or not a log`, error);
}

const logError = (code: LogErrorCode, what: string, cause: unknown): LogError =>
  new LogError(code, `${what}: ${cause instanceof Error ? cause.message : String(cause)}.`, { cause });

/** Whether the disk failed or the file is gone. After that, what SQLite holds in memory cannot be trusted. */
export const isDiskFault = ({ code }: LogError): boolean => code === "write_failed" || code === "removed";

/** Permission denied, read-only and not found: as codes of the file system and as primary result codes of SQLite. */
const noAccess = new Set<string | number>([
  "EACCES",
  "EPERM",
  "EROFS",
  "ENOENT",
  "ENOTDIR",
  "EEXIST",
  "EISDIR",
  3,
  8,
  14,
]);

/** SQLITE_IOERR_SHMSIZE: the disk has no room for the memory that processes share. */
const NO_SHARED_MEMORY = 4874;
export const lacksSharedMemory = (error: unknown): boolean =>
  (error as { errcode?: unknown }).errcode === NO_SHARED_MEMORY;
const extended: Record<number, [LogErrorCode, string]> = { [NO_SHARED_MEMORY]: ["disk_full", "The disk is full"] };

/** SQLite's primary result codes. Our statements are valid, so an error in a statement (1, 19, 20) means damage. */
const codes: Record<number, [LogErrorCode, string]> = {
  1: ["damaged", "The log is damaged"],
  5: ["busy", "Another process has locked the log"],
  6: ["busy", "Another process has locked the log"],
  11: ["damaged", "The log is damaged"],
  13: ["disk_full", "The disk is full"],
  15: ["busy", "Another process has locked the log"],
  19: ["damaged", "The log is damaged"],
  20: ["damaged", "The log is damaged"],
  26: ["damaged", "The log's file is damaged"],
};
