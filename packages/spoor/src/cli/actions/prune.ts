import { dataDirectory } from "../../log/open.ts";
import { collectBlobs } from "../../runtime/artifacts/collect.ts";
import { applyRetention, type Pruning, planRetentionOf, type RetentionPolicy } from "../../runtime/retention.ts";
import { ExitError } from "../exit-error.ts";
import { type DataOption, withLog } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { printJson } from "../output/json.ts";
import { plural } from "../output/plural.ts";
import { table } from "../output/table.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

export interface PruneOptions extends DataOption {
  olderThan?: number;
  keepEvents?: number;
  keepRuns?: number;
  maxSize?: number;
  dryRun?: true;
  json?: true;
}

/** Removes the oldest events of runs by age, count and size. A gap event replaces them. */
export function prune(options: PruneOptions, io: Io): Promise<void> {
  const { olderThan, keepEvents, keepRuns, maxSize, dryRun, json } = options;
  const policy: RetentionPolicy = {
    ...(olderThan !== undefined && { max_age_ms: olderThan }),
    ...(keepEvents !== undefined && { max_events: keepEvents }),
    ...(keepRuns !== undefined && { max_runs: keepRuns }),
    ...(maxSize !== undefined && { max_bytes: maxSize }),
  };
  if (Object.keys(policy).length === 0) {
    throw new ExitError(
      2,
      "Name what to remove with --older-than, --keep-runs, --keep-events or --max-size. --dry-run only shows it.",
    );
  }
  return withLog(options, async (log) => {
    const plan = await planRetentionOf(log, policy);
    const { done, failures } = dryRun ? { done: plan, failures: [] } : await applyRetention(log, plan);
    // The artifacts of pruned events are gone, so their contents can go as well.
    if (!dryRun) await collectBlobs(log, options.data ?? dataDirectory());
    if (json) for (const pruning of done) printJson(io.stdout, pruning);
    else io.stdout.write(summaryOf(done, dryRun === true));
    if (failures.length > 0) throw new ExitError(1, failures.map(({ message }) => terminalSafe(message)).join("\n"));
  });
}

function summaryOf(prunings: readonly Pruning[], isPlan: boolean): string {
  const total = prunings.reduce((sum, { events }) => sum + events, 0);
  const rows = prunings.map(({ run_id, through, events, reason }) => {
    return [run_id, `0 to ${through}`, String(events), reason];
  });
  const list = rows.length === 0 ? "" : table([["RUN", "SEQUENCES", "EVENTS", "WHY"], ...rows]);
  const what = `${plural(total, "event")} of ${plural(rows.length, "run")}`;
  return `${list}${isPlan ? `${what} would be removed` : `Removed ${what}`}.\n`;
}
