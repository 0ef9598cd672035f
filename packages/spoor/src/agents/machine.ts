import type { Signal } from "./signal.ts";

/**
 * Reads one run of one wire. Pure: no I/O and no clock, so that a recording is a test. Every frame ends up as a signal;
 * one it does not know is a note that carries it.
 */
export interface Machine {
  /** A line the agent wrote to standard output. */
  line(text: string): Signal[];
  /** A line it wrote to standard error. Absent: a log. */
  stderr?(text: string): Signal[];
  /** A frame that was sent to the agent, by us or by whoever was recorded. */
  sent?(frame: unknown): Signal[];
  /** The process ended, or the recording did: code 0 and no signal when nothing else is known. */
  exit(code: number | null, signal: string | null): Signal[];
}

/** A wire language an agent speaks. */
export interface Dialect {
  readonly name: string;
  /** Whether output that begins with these frames (parsed; what is no JSON is left out) is of this wire. */
  recognises(frames: readonly Frame[]): boolean;
  /** What the wire can stream, and whether permission can be asked over it. */
  readonly streams: { readonly text: boolean; readonly toolCalls: boolean; readonly thinking: boolean };
  readonly canAsk: boolean;
  createMachine(): Machine;
}

export interface Frame {
  /** `in` is to the agent. A recording of one direction holds only `out`. */
  dir: "in" | "out";
  value: unknown;
}

/** What we know about one agent. */
export interface Adapter {
  readonly name: string;
  readonly title: string;
  /** Its wires, the one to prefer first. */
  readonly dialects: readonly Dialect[];
}
