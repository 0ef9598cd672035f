import { unprefixed } from "@spoor/protocol/ids";
import { asErrorCode, type RunFailure } from "@spoor/protocol/write";
import type { Effect } from "../../log/effects.ts";
import { LogError } from "../../log/errors.ts";
import type { Log, LogDraft, RunAppend } from "../../log/log.ts";
import type { FactChanges, RunStatus, StoredRun } from "../../log/records.ts";
import type { Row } from "../../log/tables.ts";
import { effectsOf } from "../projections/index.ts";
import { factsAfter } from "../projections/run-facts.ts";
import { wakeParent } from "../projections/wake-parent.ts";
import { endOfCommand } from "../recorder/acknowledgements.ts";
import { type OpenRun, readOpenRun } from "./stored-run.ts";

/**
 * Returns the run that goes on from one that is being ended, for the same commit; undefined if there shall be none. `ended` is
 * the run as it will be stored.
 */
export type Successor = (ended: StoredRun) => Promise<RunAppend | undefined>;

/** How a run that is not performed any more is ended. */
export interface Ending {
  at: number;
  /** The events before everything else, such as the gap that explains the end. */
  first?: readonly LogDraft[];
  /** Why it failed; absent for a cancel. */
  failure?: RunFailure;
  /** The failure's code as it is stored, if it is none of the codes of agents. */
  code?: string;
  /** Who cancelled the run, and why. */
  cancelled?: { by?: string; reason?: string };
  effects?: readonly Effect[];
  when?: RunAppend["when"];
  successor?: Successor | undefined;
}

/**
 * Ends a run in one commit: closes what is open, and writes the terminal event and `task.updated`. The caller has claimed the
 * run, so that its former producer cannot write any more. Returns false if the run was over already.
 */
export async function endRun(log: Log, run: StoredRun, epoch: number, ending: Ending): Promise<boolean> {
  const open = await readOpenRun(log, run);
  if (open.hasEnded) return false;
  const task = await log.rows.find("tasks", run.task_id);
  const { rows } = await log.rows.list("commands", { where: { run_id: run.run_id, done_at: null }, limit: 1_000 });
  const effects = [...(ending.effects ?? []), ...rows.map((command) => endOf(command, ending))];
  const append = appendOf(open, epoch, { ...ending, effects }, typeof task?.spec === "string");
  for (let attempt = 1; ; attempt++) {
    const next = attempt <= MAX_ATTEMPTS ? await ending.successor?.(afterEnd(run, append)) : undefined;
    try {
      await log.append(next ? [append, next] : [append]);
      return true;
    } catch (error) {
      // Another run may have taken a folder at the same moment. In the end the run is ended without a successor.
      if (!next || !(error instanceof LogError) || error.code !== "conflict") throw error;
    }
  }
}

/** How often a commit with a successor is tried. */
const MAX_ATTEMPTS = 5;

const afterEnd = (run: StoredRun, { drafts, facts }: RunAppend): StoredRun => {
  const known = Object.entries({ ...run, ...facts }).filter(([, value]) => value !== null);
  return { ...(Object.fromEntries(known) as unknown as StoredRun), last_sequence: run.last_sequence + drafts.length };
};

/** Nobody will carry out the commands of a run that is over; a cancel has done what it was for. */
function endOf({ command_id, kind }: Row<"commands">, { cancelled }: Ending): Effect {
  if (kind === "cancel" && cancelled) return endOfCommand(command_id, "done");
  return endOfCommand(command_id, "refused", "run_over: The run ended first: its process is gone.");
}

function appendOf(open: OpenRun, epoch: number, ending: Ending, hasTask: boolean): RunAppend {
  const { at, first = [], effects = [], when } = ending;
  const { run } = open;
  open.decided(first);
  const { drafts: closing, outcome } = open.closeAll(at, failureOf(open, ending));
  const end = terminalOf(outcome, ending, run);
  const status = statuses[end.type];
  const drafts = [
    ...first,
    ...closing,
    draft(end.type, at, end.data),
    ...(hasTask ? [draft("task.updated", at, { status })] : []),
  ];
  const facts: FactChanges = {
    ...factsAfter(run, drafts),
    status,
    ended_at: at,
    pending: null,
    parked: null,
    paused: null,
    cancelling: null,
    ...(typeof end.data.code === "string" && { error_code: end.data.code }),
  };
  return {
    run_id: run.run_id,
    epoch,
    drafts,
    facts,
    effects: [...effectsOf(drafts, run), ...wakeParent(run), ...effects],
    ...(when && { when }),
  };
}

/** The cause of the end: an error, or `run.aborted`. A gap that comes first is a cause itself. */
function failureOf({ run }: OpenRun, { at, failure, first, cancelled }: Ending): Parameters<OpenRun["closeAll"]>[1] {
  const base = { runId: unprefixed("run", run.run_id), agent: run.agent, timestamp: at };
  if (failure && first?.some(({ type }) => type.startsWith("gap."))) return failure;
  if (failure) {
    const { message } = failure;
    return {
      ...failure,
      cause: { type: "error", ...base, code: asErrorCode(failure.code), message, recoverable: false },
    };
  }
  if (cancelled?.reason === "interrupted") {
    const message = "The run was interrupted.";
    return { code: "INTERRUPTED", exitReason: "interrupted", message, cause: { type: "interrupted", ...base } };
  }
  const message = cancelled?.reason ?? "The run was cancelled.";
  return { code: "ABORTED", exitReason: "aborted", message, cause: { type: "aborted", ...base } };
}

type Terminal = { type: keyof typeof statuses; data: Record<string, unknown> };

function terminalOf(outcome: Terminal, { at, code, cancelled }: Ending, run: StoredRun): Terminal {
  const totals = {
    ...(run.turns !== undefined && { turns: run.turns }),
    ...(run.cost_micros_usd !== undefined && { cost_micros_usd: run.cost_micros_usd }),
    duration_ms: Math.max(0, at - run.created_at),
  };
  if (outcome.type === "run.cancelled" && cancelled) {
    const { by, reason = "" } = cancelled;
    return { type: "run.cancelled", data: { reason, ...(by !== undefined && { by }), ...totals } };
  }
  return { type: outcome.type, data: { ...outcome.data, ...(code !== undefined && { code }), ...totals } };
}

const draft = (type: string, timestamp: number, data: object): LogDraft => ({
  type,
  timestamp,
  json: JSON.stringify(data),
});

const statuses = {
  "run.finished": "completed",
  "run.failed": "failed",
  "run.cancelled": "cancelled",
} as const satisfies Record<string, RunStatus>;
