import { LogError, type LogErrorCode } from "../errors.ts";

/** What SQLite says, in our words. Errors of our own pass. */
export function failureOf(error: unknown): LogError {
  if (error instanceof LogError) return error;
  const errcode = Number((error as { errcode?: unknown }).errcode ?? 0);
  const [code, what] = extended[errcode] ?? codes[errcode & 0xff] ?? ["write_failed", "The log could not be written"];
  return told(code, what, error);
}

/**
 * The same while the log is opened: then what is refused says that it is not ours to open, and nothing of the disk, and
 * what is damaged cannot be looked into either.
 */
export function openingFailureOf(error: unknown): LogError {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  const isRefused = noAccess.has(String(code)) || noAccess.has(Number(errcode ?? 0) & 0xff);
  if (isRefused) return told("no_access", "The log cannot be opened", error);
  const failure = failureOf(error);
  if (failure.code !== "damaged") return failure;
  return told("unreadable", "The log cannot be opened, for it is damaged or no log", error);
}

const told = (code: LogErrorCode, what: string, cause: unknown): LogError =>
  new LogError(code, `${what}: ${cause instanceof Error ? cause.message : String(cause)}.`, { cause });

/** Whether the disk itself failed, or the file is gone: what SQLite holds in memory can no longer be trusted. */
export const isDiskFault = ({ code }: LogError): boolean => code === "write_failed" || code === "removed";

/** Permission, read-only and no such place: of files, and in SQLite's primary result codes. */
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

/** No room for the memory that processes share. */
const NO_SHARED_MEMORY = 4874;
export const lacksSharedMemory = (error: unknown): boolean =>
  (error as { errcode?: unknown }).errcode === NO_SHARED_MEMORY;
const extended: Record<number, [LogErrorCode, string]> = { [NO_SHARED_MEMORY]: ["disk_full", "The disk is full"] };

/** SQLite's primary result codes. Our statements are right, so what says they are not is damage. */
const codes: Record<number, [LogErrorCode, string]> = {
  1: ["damaged", "The log is damaged"],
  5: ["busy", "The log is held by another process"],
  6: ["busy", "The log is held by another process"],
  11: ["damaged", "The log is damaged"],
  13: ["disk_full", "The disk is full"],
  15: ["busy", "The log is held by another process"],
  19: ["damaged", "The log is damaged"],
  20: ["damaged", "The log is damaged"],
  26: ["damaged", "The log's file is damaged"],
};
