import type { UsageAnswer } from "@spoor/protocol/api";
import type { UsageGroup } from "@spoor/protocol/api/values";
import type { Log } from "../../log/log.ts";
import type { RunQuery, StoredRun } from "../../log/records.ts";
import { UsageFold } from "./fold-usage.ts";

/** Selects runs, and says how their usage is grouped. */
export interface UsageOptions {
  /** Default: by day. */
  by?: readonly UsageGroup[];
  /** The time zone of days, such as Europe/Berlin. Default: UTC. */
  time_zone?: string;
  /** Only runs created at or after this time, and before that one, in epoch milliseconds. */
  from?: number;
  to?: number;
  agent?: string;
  model?: string;
  task_id?: string;
  session_id?: string;
}

/**
 * Adds up what runs have cost, from their rows, without reading events. Each run counts once. Runs that were made from
 * another run's tape do not count, because no model was called for them.
 *
 * @example
 * const { data, total } = await readUsage(log, { by: ["agent", "model"], from: Date.now() - 7 * 86_400_000 });
 * for (const { agent, model, cost_micros_usd } of data) console.log(agent, model, cost_micros_usd / 1e6);
 * console.log(total.cost_micros_usd / 1e6);
 */
export async function readUsage(log: Pick<Log, "runs">, options: UsageOptions = {}): Promise<UsageAnswer> {
  const { by = ["day"], time_zone } = options;
  const fold = new UsageFold(by, time_zone);
  for await (const run of runsOf(log, options)) fold.add(run);
  const zone = time_zone === undefined ? {} : { time_zone };
  return { object: "usage", by: [...by], ...zone, data: fold.rows(), total: fold.total };
}

/** The runs that usage counts, newest first. */
export async function* runsOf(log: Pick<Log, "runs">, options: Omit<UsageOptions, "by">): AsyncGenerator<StoredRun> {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY, agent, model, task_id, session_id } = options;
  const query: RunQuery = {
    limit: PAGE,
    hide_renormalized: true,
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...(task_id !== undefined && { task_id }),
  };
  let before: string | undefined;
  for (let more = true; more; ) {
    const page = await log.runs({ ...query, ...(before !== undefined && { before }) });
    for (const run of page.runs) {
      if (run.created_at < from || run.created_at >= to) continue;
      if (session_id === undefined || run.session_id === session_id) yield run;
    }
    const last = page.runs.at(-1);
    before = last?.run_id;
    more = page.more && last !== undefined && last.created_at >= from - CLOCK_CHANGE_MS;
    // Let a server answer other requests in between.
    await new Promise(setImmediate);
  }
}

const PAGE = 200;
/** Runs are listed in the order of their creation. The clock may have been set back meanwhile, but not by more than this. */
const CLOCK_CHANGE_MS = 86_400_000;
