import type { Machine } from "../machine.ts";
import type { Signal } from "../signal.ts";
import { asObject, type Json, parseObject } from "./json-values.ts";
import { createStderrTail } from "./stderr-tail.ts";

export interface JsonFrameReader {
  /** A frame the agent wrote. `undefined` means that it is not known: it is noted whole. */
  frame(frame: Json): Signal[] | undefined;
  sent?(frame: Json): Signal[] | undefined;
  /** For what is read there; lines are logs without it. */
  stderr?(text: string): Signal[] | undefined;
  /** `stderr` is the last of what was written there. */
  exit(code: number | null, signal: string | null, stderr: string): Signal[];
}

/** Reads a frame, or a part of one; `undefined` means that it is not known. */
export type FrameReader = (frame: Json) => Signal[] | undefined;

/** Readers by the name of what they read. A map has no names of its own, and every line asks it. */
export const frameReaders = (readers: Readonly<Record<string, FrameReader>>): ReadonlyMap<unknown, FrameReader> =>
  new Map(Object.entries(readers));

/**
 * A machine for a wire of one JSON object per line. What is no JSON is a log, what is not known is a note that carries
 * it, and a frame that our own reading fails on is both a note and a warning: no line is lost and none ends the run.
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
