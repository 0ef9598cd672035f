import type { Readable, Writable } from "node:stream";

/** The streams a command reads and writes: those of the process, or those of a test. */
export interface Io {
  stdin: Readable;
  stdout: Writable;
  stderr: Writable;
}
