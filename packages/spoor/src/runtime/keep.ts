import type { Log } from "../log/log.ts";
import { applyRetention, type Pruning, planRetentionOf, type RetentionPolicy } from "./retention.ts";

/**
 * Removes what is beyond the limits: the events of the oldest runs, with their approvals and artifacts, and contents that
 * nobody names any more. The row of each run stays.
 */
export async function keepWithin(log: Log, policy: RetentionPolicy, now = Date.now()): Promise<Pruning[]> {
  const { done, failures } = await applyRetention(log, await planRetentionOf(log, policy, now));
  if (log.directory !== undefined) {
    const { collectBlobs } = await import("./artifacts/collect.ts");
    await collectBlobs(log, log.directory, now);
  }
  if (failures[0]) throw failures[0];
  return done;
}
