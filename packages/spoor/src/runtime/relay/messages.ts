import type { Effect, RowQuery } from "../../log/effects.ts";
import { LogError, type LogErrorCode } from "../../log/errors.ts";
import type { RunAppend, TapeLine } from "../../log/log.ts";
import type { RunQuery } from "../../log/records.ts";
import type { Row, Table } from "../../log/tables.ts";
import { MAX_TEXT_BYTES } from "../../process/stream-cutter.ts";
import { packed, unpacked } from "./row-codec.ts";

/**
 * The version of the protocol between producers and servers, which send each other one JSON object per line. Change it when
 * an older side would misread a newer one: a producer that meets another version writes the log itself.
 */
export const PROTOCOL = 3;

export type Request =
  | { do: "hello" }
  | { do: "append"; batch: readonly RunAppend[] }
  | { do: "tape"; run_id: string; lines: readonly TapeLine[]; idempotency_key: string }
  | { do: "runs"; query?: RunQuery }
  | { do: "find"; table: Table; key: string }
  | { do: "list"; table: Table; query?: RowQuery }
  | { do: "write"; effects: readonly Effect[]; idempotency_key: string }
  | { do: "extend"; run_id: string; epoch: number; leaseMs: number }
  | { do: "release"; run_id: string; epoch: number }
  // Answered when the run has open commands that are not in `delivered`, or after COMMANDS_WAIT_MS with none.
  | { do: "commands"; run_id: string; delivered: readonly string[] }
  | { do: "read"; run_id: string; after: number };

/** The answer to `commands`. */
export interface OpenCommands {
  /** New ones. */
  commands: readonly Row<"commands">[];
  /** The ids of all open commands. */
  open: readonly string[];
}

/** How long a server holds back its answer to `commands`. */
export const COMMANDS_WAIT_MS = 10_000;

export type Id = string | number;

/** Answers come in any order. */
export type Answer = { id: Id | null; result: unknown } | { id: Id | null; error: Refusal };

export interface Refusal {
  code: string;
  message: string;
  hint: string;
  /** The row that stood in the way, with `conflict`. */
  row?: Readonly<Record<string, unknown>>;
  table?: string;
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
  const { code = "internal", message, hint = "", row, table } = error as Partial<Refusal> & Error;
  const refusal = { code: String(code), message: String(message), hint: String(hint) };
  return { ...refusal, ...(row && { row: packed(row) }), ...(table !== undefined && { table: String(table) }) };
}

/** Rebuilds the `LogError` that the server's log threw; undefined when the refusal has another cause. */
export function logErrorOf({ code, message, row, table }: Refusal): LogError | undefined {
  const error = new LogError(code as LogErrorCode, message, {
    ...(row && { row: unpacked(row) }),
    ...(table !== undefined && { table: table as Table }),
  });
  return typeof error.hint === "string" ? error : undefined;
}
