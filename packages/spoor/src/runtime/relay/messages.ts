import { LogError, type LogErrorCode } from "../../log/errors.ts";
import type { RunAppend, TapeLine } from "../../log/log.ts";
import type { RunQuery } from "../../log/records.ts";
import { MAX_TEXT_BYTES } from "../../process/cutter.ts";

/** What a producer and a server say to each other: one JSON object a line. Changes when either would misread the other. */
export const PROTOCOL = 1;

/** `append` and `tape` name the epoch they are written under, so that whoever was replaced as producer is refused. */
export type Request =
  | { do: "hello" }
  | { do: "append"; batch: readonly RunAppend[] }
  | { do: "tape"; run_id: string; epoch?: number; lines: readonly TapeLine[] }
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

/** An event of 100 MB fits, although its data is quoted once more on its way. V8's texts end at twice this. */
export const MAX_LINE_BYTES: number = MAX_TEXT_BYTES;

/** A request as a line; undefined when it is too long for one. */
export function lineOf(id: Id, request: Request): string | undefined {
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

/** The log's own error, as it was thrown at the other end; undefined when it is none. */
export function logErrorOf({ code, message }: Refusal): LogError | undefined {
  const error = new LogError(code as LogErrorCode, message);
  return typeof error.hint === "string" ? error : undefined;
}
