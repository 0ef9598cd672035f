import type { Log } from "../../log/log.ts";
import { dataDirectory, openLog } from "../../log/open.ts";
import type { Performer } from "../../run/run-setup.ts";
import { principalOf } from "../../runtime/execution/principal.ts";
import type { RecordTo } from "../../runtime/execution/record-runs.ts";
import { loop } from "../loop-kind.ts";
import { createLoopPerformer, type OpenedLog } from "./performer.ts";
import { sharedTemporaryLog } from "./temporary-log.ts";

/**
 * Performs runs of the loop for a program: in the log that its runs are recorded into, or in a temporary one, which is removed
 * when the program ends, so that a run can be continued until then.
 */
export function createClientPerformer(record: RecordTo | false): Performer {
  const temporary = record === false ? sharedTemporaryLog(dataDirectory()) : undefined;
  const open = temporary ? () => temporary.open() : () => openRecorded(record as RecordTo);
  return createLoopPerformer({ open, kind: loop, name: "cli", by: principalOf("sdk") });
}

async function openRecorded(record: RecordTo): Promise<OpenedLog> {
  const to = typeof record === "object" && "to" in record ? record.to : record;
  if (to === true || typeof to === "string") {
    const directory = to === true ? dataDirectory() : to;
    const log = await openLog({ directory });
    return { log, directory, release: () => log.close() };
  }
  // The program's own log stays open.
  return { log: to as Log, directory: to.directory ?? dataDirectory(), release: async () => {} };
}
