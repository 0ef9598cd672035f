import { type DataOption, withLog } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { plural } from "../output/plural.ts";

export interface CompactOptions extends DataOption {
  olderThan?: number;
  shrink?: true;
  json?: true;
}

/** Merges small chunks, compresses runs that ended long ago, and shrinks the file. Readers get the same bytes as before. */
export function compact({ olderThan, shrink, json, ...data }: CompactOptions, io: Io): Promise<void> {
  return withLog(data, async (log) => {
    const merged = await log.upkeep.merge(olderThan === undefined ? {} : { coldBefore: Date.now() - olderThan });
    const file = shrink ? await log.upkeep.shrink() : undefined;
    if (json) printJson(io.stdout, { chunks: merged, ...(file && { file_bytes: file }) });
    else
      io.stdout.write(`${plural(merged.before, "chunk")} before, ${merged.after} now.\n${file ? sizeText(file) : ""}`);
  });
}

const sizeText = ({ before, after }: { before: number; after: number }): string =>
  `The file has ${megabytes(after)} MB now; it had ${megabytes(before)} MB before.\n`;

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
