import { LogError, type LogErrorCode } from "../errors.ts";

/** What SQLite says, in our words. Errors of our own pass. */
export function failureOf(error: unknown): LogError {
  if (error instanceof LogError) return error;
  const primary = Number((error as { errcode?: unknown }).errcode ?? 0) & 0xff;
  const [code, what] = codes[primary] ?? ["write_failed", "The log could not be written"];
  return new LogError(code, `${what}: ${error instanceof Error ? error.message : String(error)}.`, { cause: error });
}

/** Whether the disk itself failed: what SQLite holds in memory can no longer be trusted. */
export const isDiskFault = (error: LogError): boolean => error.code === "write_failed";

/** SQLite's primary result codes. Our statements are right, so what says they are not is damage. */
const codes: Record<number, [LogErrorCode, string]> = {
  1: ["damaged", "The log is damaged"],
  5: ["busy", "The log is held by another process"],
  6: ["busy", "The log is held by another process"],
  11: ["damaged", "The log is damaged"],
  13: ["disk_full", "The disk is full"],
  19: ["damaged", "The log is damaged"],
  20: ["damaged", "The log is damaged"],
  26: ["damaged", "The log's file is damaged"],
};
