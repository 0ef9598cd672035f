import type { Machine } from "../machine.ts";
import type { Signal } from "../signal.ts";
import { asObject, type Json, parseObject } from "./json-values.ts";
import { createStderrTail } from "./stderr-tail.ts";

/** Reads the frames of one run in a dialect of JSON lines. */
export interface JsonFrameReader {
  /** Reads a frame of the agent. Returns `undefined` for an unknown frame, which then becomes a note. */
  frame(frame: Json): Signal[] | undefined;
  sent?(frame: Json): Signal[] | undefined;
  /** Reads a line of standard error. Default: the line is a log. */
  stderr?(text: string): Signal[] | undefined;
  /** `stderr` is the end of the standard error output. */
  exit(code: number | null, signal: string | null, stderr: string): Signal[];
}

/** Reads a frame or a part of one; returns `undefined` if it is unknown. */
export type FrameReader = (frame: Json) => Signal[] | undefined;

/**
 * Readers by the name of what they read. A map, because unlike an object it has no built-in names such as
 * `constructor`.
 *
 * @example
 * const readers = frameReaders({ said: ({ text }) => [{ kind: "text", key: "1", delta: asText(text) ?? "" }] });
 * readers.get("said")?.({ text: "Hello" }); // [{ kind: "text", key: "1", delta: "Hello" }]
 */
export const frameReaders = (readers: Readonly<Record<string, FrameReader>>): ReadonlyMap<unknown, FrameReader> =>
  new Map(Object.entries(readers));

/**
 * A machine for a dialect with one JSON object per line. A line that is not JSON is a log. An unknown frame is a note.
 * If the reader throws, the frame is a note with level `warn`. So no line is lost and none ends the run.
 *
 * @example
 * const machine = createJsonMachine({
 *   frame: ({ said }) => (said === undefined ? undefined : [{ kind: "text", key: "1", delta: asText(said) ?? "" }]),
 *   exit: (code, signal, stderr) => (code === 0 ? [{ kind: "promptDone" }] : [fail(failureOfExit(code, signal, stderr))]),
 * });
 * machine.line('{"said":"Hello"}'); // [{ kind: "text", key: "1", delta: "Hello" }]
 */
export function createJsonMachine(reader: JsonFrameReader): Machine {
  const tail = createStderrTail();
  return {
    line(text) {
      const frame = parseObject(text);
      if (!frame) return text.trim() === "" ? [] : [{ kind: "log", source: "stdout", line: text }];
      try {
        return reader.frame(frame) ?? [{ kind: "note", message: text }];
      } catch (error) {
        return [unreadable(text, error)];
      }
    },
    sent(value) {
      const frame = asObject(value);
      try {
        return (frame && reader.sent?.(frame)) ?? [];
      } catch (error) {
        return [unreadable(JSON.stringify(value), error)];
      }
    },
    stderr(text) {
      tail.add(text);
      return reader.stderr?.(text) ?? [{ kind: "log", source: "stderr", line: text }];
    },
    exit: (code, signal) => reader.exit(code, signal, tail.text()),
  };
}

const unreadable = (text: string, error: unknown): Signal => ({
  kind: "note",
  level: "warn",
  message: `A frame could not be read (${(error as Error).message}): ${text}`,
});
