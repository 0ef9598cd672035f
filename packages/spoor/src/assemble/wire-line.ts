import type { HostNote } from "../agents/host.ts";
import { asObject, asText, parseObject } from "../agents/kit/json-values.ts";

/** A raw line as observers and tapes get it. */
export interface WireLine {
  /**
   * `stdin` is a frame that was sent to the agent; a frame `{"spoor_host":…}` was not sent: it records what Spoor did on the
   * agent's behalf. The text of `exit` is `{"code":…,"signal":…}`, with `error` where the process could not be started.
   */
  from: "stdin" | "stdout" | "stderr" | "exit";
  text: string;
  /** A piece of a line that is too long to be read as a whole: `more` pieces follow, or this is the `last` one. */
  piece?: "more" | "last";
}

/** One input or output of the agent's process, or one action of Spoor, in the order in which they happened. */
export type WireEntry =
  | { from: "stdin" | "stdout" | "stderr"; text: string; piece?: "more" | "last" }
  /** What we did for the agent in its workspace. */
  | { from: "host"; note: HostNote }
  | ({ from: "exit" } & ProcessExit);

export interface ProcessExit {
  code: number | null;
  signal: string | null;
  /** Why the process could not be started. */
  error?: string;
  /** The error in Spoor's own code, if it made Spoor kill the process. */
  fault?: unknown;
}

export function lineOf(entry: WireEntry): WireLine {
  if (entry.from === "host") return { from: "stdin", text: JSON.stringify({ spoor_host: entry.note }) };
  if (entry.from !== "exit") return entry;
  const { code, signal, error } = entry;
  return { from: "exit", text: JSON.stringify({ code, signal, error }) };
}

/** The inverse of `lineOf`. */
export function entryOf({ from, text, piece }: WireLine): WireEntry {
  if (from === "exit") return exitOf(text);
  const note = from === "stdin" && text.startsWith(HOST_NOTE) ? asObject(parseObject(text)?.spoor_host) : undefined;
  if (note) return { from: "host", note: note as HostNote };
  return { from, text, ...(piece && { piece }) };
}

const HOST_NOTE = '{"spoor_host":';

function exitOf(text: string): WireEntry {
  const exit = parseObject(text);
  const error = asText(exit?.error);
  return {
    from: "exit",
    code: typeof exit?.code === "number" ? exit.code : null,
    signal: asText(exit?.signal) ?? null,
    ...(error !== undefined && { error }),
  };
}
