import type { Machine } from "../machine.ts";
import type { Signal } from "../signal.ts";
import { createStderrTail } from "./stderr-tail.ts";

/** A JSON object as it came: any field may be missing or of another type. */
export type Json = { readonly [name: string]: unknown };

export interface JsonWire {
  /** A frame the agent wrote. `undefined` means that it is not known: it is noted whole. */
  frame(frame: Json): Signal[] | undefined;
  sent?(frame: Json): Signal[] | undefined;
  /** For what is read there; lines are logs without it. */
  stderr?(text: string): Signal[] | undefined;
  /** `stderr` is the last of what was written there. */
  exit(code: number | null, signal: string | null, stderr: string): Signal[];
}

/** Reads a frame, or a part of one; `undefined` means that it is not known. */
export type Reader = (frame: Json) => Signal[] | undefined;

/** Readers by the name of what they read. A map has no names of its own, and every line asks it. */
export const readersOf = (readers: Readonly<Record<string, Reader>>): ReadonlyMap<unknown, Reader> =>
  new Map(Object.entries(readers));

/**
 * A machine for a wire of one JSON object per line. What is no JSON is a log, what is not known is a note that carries
 * it, and a frame that our own reading fails on is both a note and a warning: no line is lost and none ends the run.
 */
export function createJsonMachine(wire: JsonWire): Machine {
  const tail = createStderrTail();
  return {
    line(text) {
      const frame = parseObject(text);
      if (!frame) return text.trim() === "" ? [] : [{ kind: "log", source: "stdout", line: text }];
      try {
        return wire.frame(frame) ?? [{ kind: "note", message: text }];
      } catch (error) {
        return [unreadable(text, error)];
      }
    },
    sent(value) {
      const frame = asObject(value);
      try {
        return (frame && wire.sent?.(frame)) ?? [];
      } catch (error) {
        return [unreadable(JSON.stringify(value), error)];
      }
    },
    stderr(text) {
      tail.add(text);
      return wire.stderr?.(text) ?? [{ kind: "log", source: "stderr", line: text }];
    },
    exit: (code, signal) => wire.exit(code, signal, tail.text()),
  };
}

const unreadable = (text: string, error: unknown): Signal => ({
  kind: "note",
  level: "warn",
  message: `A frame could not be read (${(error as Error).message}): ${text}`,
});

export function parseObject(text: string): Json | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export const asObject = (value: unknown): Json | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;

export const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The items of a list as objects; one that is none is empty. */
export const asObjects = (value: unknown): readonly Json[] => asArray(value).map((item) => asObject(item) ?? {});

/** The texts in a list that are not empty. */
export const asTexts = (value: unknown): readonly string[] => asArray(value).flatMap((item) => asText(item) || []);

export const asText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

export const asNumber = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

/** A count of tokens, bytes or milliseconds: whole and not negative. */
export const asCount = (value: unknown): number | undefined => {
  const number = asNumber(value);
  return number === undefined ? undefined : Math.max(0, Math.round(number));
};
