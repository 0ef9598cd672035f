import { type DataOption, withLog } from "../history/open.ts";
import type { Io } from "../io.ts";

export interface CompactOptions extends DataOption {
  olderThan?: number;
  json?: true;
}

/** Joins what was committed in small pieces, and compresses runs that ended long ago. No byte that is read changes. */
export function compact({ olderThan, json, ...data }: CompactOptions, io: Io): Promise<void> {
  return withLog(data, async (log) => {
    const merged = await log.upkeep.merge(olderThan === undefined ? {} : { coldBefore: Date.now() - olderThan });
    if (json) io.stdout.write(`${JSON.stringify(merged)}\n`);
    else io.stdout.write(`${merged.before} chunks are ${merged.after} now.\n`);
  });
}
