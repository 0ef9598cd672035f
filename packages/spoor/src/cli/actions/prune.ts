import { applyRetention, planRetentionOf, type RetentionPolicy } from "../../runtime/retention.ts";
import { ExitError } from "../exit-error.ts";
import { type DataOption, withLog } from "../history/open.ts";
import type { Io } from "../io.ts";
import { table } from "../table.ts";

export interface PruneOptions extends DataOption {
  olderThan?: number;
  keepEvents?: number;
  maxSize?: number;
  dryRun?: true;
  json?: true;
}

/** Takes away the beginnings of runs by age, count and size; each leaves a gap that says so. */
export function prune(options: PruneOptions, io: Io): Promise<void> {
  const { olderThan, keepEvents, maxSize, dryRun, json } = options;
  const policy: RetentionPolicy = {
    ...(olderThan !== undefined && { max_age_ms: olderThan }),
    ...(keepEvents !== undefined && { max_events: keepEvents }),
    ...(maxSize !== undefined && { max_bytes: maxSize }),
  };
  if (Object.keys(policy).length === 0) {
    throw new ExitError(2, "Say what may go: --older-than, --keep-events or --max-size. --dry-run shows it first.");
  }
  return withLog(options, async (log) => {
    const plan = await planRetentionOf(log, policy);
    if (!dryRun) await applyRetention(log, plan);
    if (json) {
      for (const pruning of plan) io.stdout.write(`${JSON.stringify(pruning)}\n`);
      return;
    }
    const events = plan.reduce((sum, pruning) => sum + pruning.events, 0);
    const rows = plan.map(({ run_id, through, events, reason }) => [run_id, `0 to ${through}`, String(events), reason]);
    if (plan.length > 0) io.stdout.write(table([["RUN", "SEQUENCES", "EVENTS", "WHY"], ...rows]));
    io.stdout.write(`${events} events of ${plan.length} runs ${dryRun ? "would go" : "are gone"}.\n`);
  });
}
