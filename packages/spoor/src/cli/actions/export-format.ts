import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { readLines } from "../../log/envelopes.ts";
import type { Log } from "../../log/log.ts";
import type { FileFormat } from "../../translators/file-formats.ts";
import type { Io } from "../io.ts";

export interface ExportTarget {
  format: FileFormat;
  file: string;
  /** The data directory of the log. */
  directory: string;
  io: Io;
  signal: AbortSignal;
}

/** Writes a run in one of the forms that cannot be verified. Returns the number of events. */
export async function exportAs(
  log: Log,
  run_id: string,
  { format, file, directory, io, signal }: ExportTarget,
): Promise<number> {
  let events = 0;
  async function* counted() {
    for await (const line of readLines(log, { run_id })) {
      events += 1;
      yield line;
    }
  }
  const text = Readable.from(format.write(counted(), { log, directory, run_id }));
  if (file === "-") {
    await pipeline(text, io.stdout, { signal, end: false });
    return events;
  }
  const unfinished = `${file}.${process.pid}.partial`;
  try {
    await pipeline(text, createWriteStream(unfinished, { mode: 0o600 }), { signal });
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  return events;
}
