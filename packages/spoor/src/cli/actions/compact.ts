import { type DataOption, withLog } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { plural } from "../output/plural.ts";

export interface CompactOptions extends DataOption {
  olderThan?: number;
  shrink?: true;
  json?: true;
}

/** Joins what was committed in small pieces, compresses runs that ended long ago, and gives room back. No byte that is read changes. */
export function compact({ olderThan, shrink, json, ...data }: CompactOptions, io: Io): Promise<void> {
  return withLog(data, async (log) => {
    const merged = await log.upkeep.merge(olderThan === undefined ? {} : { coldBefore: Date.now() - olderThan });
    const file = shrink ? await log.upkeep.shrink() : undefined;
    if (json) printJson(io.stdout, { chunks: merged, ...(file && { file_bytes: file }) });
    else io.stdout.write(`${plural(merged.before, "chunk")} before, ${merged.after} now.\n${file ? told(file) : ""}`);
  });
}

const told = ({ before, after }: { before: number; after: number }): string =>
  `The file takes ${megabytes(after)} MB now, ${megabytes(before)} before.\n`;

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
