import type { Granularity } from "@spoor/protocol/api/values";
import type { EventQuery } from "../../log/feed/follow.ts";
import { matchFor } from "../../log/feed/granularity.ts";
import { sequenceBefore } from "../../log/feed/since.ts";
import type { Log } from "../../log/log.ts";
import type { StoredRun } from "../../log/records.ts";
import { ExitError } from "../exit-error.ts";
import type { Io } from "../io.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { findRun, findTask } from "./find-run.ts";
import { refuseUnknownAgent } from "./known-agent.ts";
import { matchTypes, unknownTypes } from "./type-filter.ts";
import type { DataOption } from "./with-log.ts";

/** The flags of `events` and `tail` that select events. */
export interface SelectOptions extends DataOption {
  type?: string;
  agent?: string;
  task?: string;
  granularity?: Granularity;
  /** A sequence of the run, or a position of the log if no run is named. */
  after?: number | "now";
  /** Epoch milliseconds. */
  since?: number;
}

export interface Selection {
  /** The run that was named; undefined means all runs. */
  run: StoredRun | undefined;
  query: EventQuery;
}

/** Turns flags into a query of the log. Returns undefined if the named run does not belong to the given agent or task. */
export async function select(
  log: Log,
  typed: string | undefined,
  options: SelectOptions,
  io: Io,
): Promise<Selection | undefined> {
  const { type, agent, task, since } = options;
  if (agent !== undefined) await refuseUnknownAgent(log, agent);
  const task_id = task === undefined ? undefined : (await findTask(log, task)).task_id;
  const run = typed === undefined ? undefined : await findRun(log, typed);
  if (run && agent !== undefined && run.agent !== agent) return undefined;
  if (run && task_id !== undefined && run.task_id !== task_id) return undefined;
  for (const warning of type === undefined ? [] : await unknownTypes(log, type))
    io.stderr.write(`${terminalSafe(warning)}\n`);
  const after = await startOf(log, run, options);
  const match = filterOf(options);
  return {
    run,
    query: {
      ...(run && { run_id: run.run_id }),
      ...(after !== undefined && { after }),
      ...(since !== undefined && { since }),
      ...(match && { match }),
      ...(agent !== undefined && { agent }),
      ...(task_id !== undefined && { task_id }),
    },
  };
}

/** Refuses to leave out events that another language needs to say what happens. */
export function refuseFilters({ as, type, granularity = "delta" }: SelectOptions & { as?: string }): void {
  const flag = type !== undefined ? "--type" : granularity !== "delta" ? "--granularity" : undefined;
  if (as === undefined || flag === undefined) return;
  throw new ExitError(2, `${flag} does not work with --as ${as}, which needs every event of a run. Leave one out.`);
}

async function startOf(log: Log, run: StoredRun | undefined, { after, since }: SelectOptions) {
  if (after === "now") return run ? run.last_sequence : log.lastPosition;
  if (since === undefined) return after;
  return Math.max(after ?? -1, run ? await sequenceBefore(log, run, since) : await log.positionBefore(since));
}

function filterOf({ type, granularity = "delta" }: SelectOptions): EventQuery["match"] {
  const view = matchFor(granularity);
  const wanted = type === undefined ? undefined : matchTypes(type);
  return view && wanted ? (name) => view(name) && wanted(name) : (view ?? wanted);
}
