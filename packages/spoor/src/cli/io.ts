import type { Readable, Writable } from "node:stream";

/** Where a command reads and writes: the process's own streams, or a test's. */
export interface Io {
  stdin: Readable;
  stdout: Writable;
  stderr: Writable;
}
