import { LogError, type LogErrorCode } from "../../log/errors.ts";
import type { RunAppend, TapeLine } from "../../log/log.ts";
import type { RunQuery } from "../../log/records.ts";
import { MAX_TEXT_BYTES } from "../../process/stream-cutter.ts";

/**
 * The version of the protocol between producers and servers, which send each other one JSON object per line. Change it when
 * an older side would misread a newer one: a producer that meets another version writes the log itself.
 */
export const PROTOCOL = 2;

export type Request =
  | { do: "hello" }
  | { do: "append"; batch: readonly RunAppend[] }
  | { do: "tape"; run_id: string; lines: readonly TapeLine[]; idempotency_key: string }
  | { do: "runs"; query?: RunQuery }
  | { do: "read"; run_id: string; after: number };

export type Id = string | number;

/** Answers come in any order. */
export type Answer = { id: Id | null; result: unknown } | { id: Id | null; error: Refusal };

export interface Refusal {
  code: string;
  message: string;
  hint: string;
}

/** An event of 100 MB fits, although its data is escaped a second time. V8's longest string is twice as long. */
export const MAX_LINE_BYTES: number = MAX_TEXT_BYTES;

/** Returns undefined when the request is too long for one line. */
export function requestLine(id: Id, request: Request): string | undefined {
  try {
    const line = `${JSON.stringify({ id, ...request })}\n`;
    return Buffer.byteLength(line) > MAX_LINE_BYTES ? undefined : line;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

export function refusalOf(error: unknown): Refusal {
  const { code = "internal", message, hint = "" } = error as Partial<Refusal> & Error;
  return { code: String(code), message: String(message), hint: String(hint) };
}

/** Rebuilds the `LogError` that the server's log threw; undefined when the refusal has another cause. */
export function logErrorOf({ code, message }: Refusal): LogError | undefined {
  const error = new LogError(code as LogErrorCode, message);
  return typeof error.hint === "string" ? error : undefined;
}
