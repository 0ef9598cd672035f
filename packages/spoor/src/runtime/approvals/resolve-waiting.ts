import { instant } from "@spoor/protocol/write";
import type { Effect } from "../../log/effects.ts";
import { LogError } from "../../log/errors.ts";
import type { Log, LogDraft } from "../../log/log.ts";
import type { FactChanges, StoredRun } from "../../log/records.ts";
import type { Row } from "../../log/tables.ts";
import { HEAD_START_MS } from "../lease-times.ts";
import { effectsOf } from "../projections/index.ts";
import { factsAfter } from "../projections/run-facts.ts";
import { wakeParent } from "../projections/wake-parent.ts";

/** A run that a terminal performed goes on there if the terminal still waits. */
export const headStartOf = ({ executor }: Pick<StoredRun, "executor">, at: number): { due_at?: string } =>
  executor === "cli" ? { due_at: instant(at + HEAD_START_MS) } : {};

/** A decision about a run that no process performs: it waits before its start, or it is parked. */
export interface WaitingDecision {
  run: StoredRun;
  decision: "approve" | "reject";
  isTimeout: boolean;
  /** Whether nobody answered in time, and the run is cancelled then. */
  isCancel: boolean;
  /** `approval.resolved` or `approval.timed_out`. */
  event: LogDraft;
  command: Row<"commands">;
  at: number;
}

/**
 * Commits a decision about a run that nobody performs. With the last approval the run is queued; a rejection ends it, unless
 * the task says that the run goes on. Nobody has to be told, so the command is done at once.
 */
export async function decideWaiting(log: Log, waiting: WaitingDecision): Promise<void> {
  const { run, decision, isTimeout, isCancel, event, command, at } = waiting;
  const { run_id, epoch, pending = 0, parked } = run;
  const done: Effect = { do: "insert", table: "commands", row: { ...command, done_at: at, outcome: "done" } };
  const when = { status: run.status, pending: run.pending ?? null };
  if (decision === "reject" && !(parked && !isTimeout && (await goesOn(log, run)))) {
    // Loaded only when needed: it needs the whole event catalog.
    const { endRun } = await import("../recovery/end-run.ts");
    const code = isTimeout ? "APPROVAL_TIMED_OUT" : "APPROVAL_REJECTED";
    const message = isTimeout ? "Nobody approved the run in time." : `${nameOf(command.by)} rejected it.`;
    const failure = { code, exitReason: "failed", message } as const;
    const end = isCancel ? { cancelled: { by: "deadline", reason: message } } : { failure, code: code.toLowerCase() };
    const isEnded = await endRun(log, run, epoch, { at, first: [event], ...end, effects: [done], when });
    if (!isEnded) throw new LogError("conflict", `The run ${run_id} has ended already.`);
    return;
  }
  const left = Math.max(0, pending - 1);
  const priority = (await log.rows.find("tasks", run.task_id))?.priority ?? 0;
  const data = { ...(parked && { resume: true }), ...(priority !== 0 && { priority }), ...headStartOf(run, at) };
  const queued: LogDraft = { type: "run.queued", timestamp: at, json: JSON.stringify(data) };
  const drafts = left === 0 ? [event, queued] : [event];
  const own: FactChanges = { pending: left, ...(left === 0 && { status: "queued", parked: null }) };
  const facts: FactChanges = { ...factsAfter(run, drafts), ...own };
  await log.append([
    { run_id, epoch, when, drafts, facts, effects: [...effectsOf(drafts, run), ...wakeParent(run), done] },
  ]);
}

/** The server does not know who uses the page. */
const nameOf = (by: string | null): string => (by === "http" ? "Somebody on the page or over HTTP" : `${by}`);

/** Whether the model of our loop is told of a rejection and goes on, because the task says so. */
async function goesOn(log: Log, run: StoredRun): Promise<boolean> {
  if (run.kind !== "agent_loop") return false;
  const { specOf } = await import("../specification/spec-of.ts");
  return (await specOf(log, run))?.on_reject === "continue";
}
