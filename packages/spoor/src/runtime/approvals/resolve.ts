import { createUlidSource } from "@spoor/protocol/ids";
import { instant } from "@spoor/protocol/write";
import type { Effect } from "../../log/effects.ts";
import { LogError } from "../../log/errors.ts";
import type { Log, LogDraft } from "../../log/log.ts";
import type { FactChanges, StoredRun } from "../../log/records.ts";
import type { NewRow, Row } from "../../log/tables.ts";
import { approvalEffects } from "../projections/approvals.ts";
import { nowByType, oneLine } from "../projections/run-now.ts";
import { ApprovalError } from "./approval-error.ts";

/** An answer to an approval. */
export interface Resolution {
  approval_id: string;
  decision: "approve" | "reject";
  /** Who answers: `cli:<user>`, `http`, `deadline`, … */
  by: string;
  comment?: string | undefined;
  /** Refuses the answer if the request is for another action. */
  action_hash?: string | undefined;
  /** Nobody answered in time. */
  isTimeout?: boolean;
  /** Names the request, so that its repetition is recognised. */
  key?: string | undefined;
}

/** What a decision needs of a log. An executor knows the run's row itself, so `run` may be its own. */
export interface ResolvingLog extends Pick<Log, "append" | "rows"> {
  run(run_id: string): Promise<ResolvedRun | undefined>;
}

/** The part of a run's row that decides how an answer reaches the run. */
export type ResolvedRun = Pick<
  StoredRun,
  "run_id" | "task_id" | "status" | "epoch" | "pending" | "parked" | "paused" | "kind" | "worker_id"
>;

/** A decision that counts, and the command that passes it to the run. */
export interface Resolved {
  approval: Row<"approvals">;
  command: Row<"commands">;
}

/**
 * Decides an approval. This is the only way to a decision, for the terminal, HTTP, the command line and the deadline: the
 * event and the command for the run's executor are one commit, which holds only while the approval is pending. So the first
 * answer wins, and a later one gets an error with the winner.
 *
 * @throws {ApprovalError}
 * @example
 * const { rows: open } = await log.rows.list("approvals", { where: { status: "pending" } });
 * for (const { approval_id } of open) await resolveApproval(log, { approval_id, decision: "approve", by: "ann" });
 */
export async function resolveApproval(log: ResolvingLog, resolution: Resolution): Promise<Resolved> {
  const { approval_id } = resolution;
  let approval = await pendingApproval(log, resolution);
  if (isLate(approval, resolution)) {
    // Whoever is too late must not be faster than the one who watches the deadline.
    await resolveApproval(log, byDeadline(approval));
    approval = await pendingApproval(log, resolution);
  }
  let run = await log.run(approval.run_id);
  for (;;) {
    if (!run) throw new ApprovalError("approval_gone", `The run of ${approval_id} is gone.`, { approval });
    if (isOver(run)) throw goneError(approval, run.run_id);
    const command = commandOf(approval, resolution);
    try {
      if (isPerformed(run)) {
        await log.append([{ run_id: run.run_id, ...decisionOf(run, approval, resolution, command) }]);
      } else await decideUnperformed(log as Log, run as StoredRun, approval, resolution, command);
      return { approval: (await log.rows.find("approvals", approval_id)) ?? approval, command };
    } catch (error) {
      if (!(error instanceof LogError) || (error.code !== "conflict" && error.code !== "fenced")) throw error;
      // Throws if somebody else was faster. Otherwise only the run's row has changed, and the answer still counts.
      approval = await pendingApproval(log, resolution);
      run = error.table === "runs" ? ({ ...run, ...error.row } as ResolvedRun) : await log.run(approval.run_id);
    }
  }
}

/** What an approval's deadline decides. */
export const byDeadline = ({
  approval_id,
  default_action,
}: Pick<Row<"approvals">, "approval_id" | "default_action">): Resolution => ({
  approval_id,
  decision: default_action === "approve" ? "approve" : "reject",
  by: "deadline",
  comment: "Nobody answered in time.",
  isTimeout: true,
});

const isLate = ({ expires_at }: Row<"approvals">, { isTimeout }: Resolution): boolean =>
  !isTimeout && expires_at !== null && expires_at <= Date.now();

async function pendingApproval(
  log: Pick<ResolvingLog, "rows">,
  { approval_id, action_hash }: Resolution,
): Promise<Row<"approvals">> {
  const approval = await log.rows.find("approvals", approval_id);
  if (!approval) throw new ApprovalError("approval_not_found", `There is no approval ${approval_id}.`);
  if (approval.status === "cancelled") throw goneError(approval, approval.run_id);
  if (approval.status !== "pending") {
    const who = approval.by === null ? "" : ` by ${approval.by}`;
    const message = `${approval_id} was already ${approval.status.replace("_", " ")}${who}.`;
    throw new ApprovalError("approval_resolved", message, { approval });
  }
  if (action_hash !== undefined && action_hash !== approval.action_hash) {
    throw new ApprovalError("action_changed", `The action of ${approval_id} has another hash.`, { approval });
  }
  return approval;
}

const goneError = (approval: Row<"approvals">, run_id: string): ApprovalError =>
  new ApprovalError(
    "approval_gone",
    `${approval.approval_id} can no longer be answered: ${run_id} does not wait for it.`,
    {
      approval,
    },
  );

/** The command tells the executor what was decided; the decision itself is the event. */
function commandOf(approval: Row<"approvals">, { decision, by, comment, isTimeout, key }: Resolution): Row<"commands"> {
  const { approval_id, run_id, default_action } = approval;
  const ends = isTimeout === true && default_action === "cancel_run";
  return {
    command_id: newCommandId(),
    run_id,
    kind: decision === "approve" ? "approve" : "deny",
    body: JSON.stringify({ approval_id, comment, timed_out: isTimeout, key, ...(ends && { cancel_run: true }) }),
    by,
    created_at: Date.now(),
    done_at: null,
    outcome: null,
    detail: null,
    sequence: null,
  };
}

export const newCommandId: () => string = createUlidSource({ prefix: "cmd_" });

/** Whether a process performs the run, so that it must be told. */
const isPerformed = ({ parked, worker_id }: ResolvedRun): boolean => !parked && worker_id !== undefined;

async function decideUnperformed(
  log: Log,
  run: StoredRun,
  approval: Row<"approvals">,
  resolution: Resolution,
  command: Row<"commands">,
): Promise<void> {
  const { decideWaiting } = await import("./resolve-waiting.ts");
  const at = Date.now();
  const { type, data } = eventOf(approval, resolution, command.command_id, at);
  const event = { type, timestamp: at, json: JSON.stringify(data) };
  const { decision, isTimeout = false } = resolution;
  const isCancel = isTimeout && approval.default_action === "cancel_run";
  await decideWaiting(log, { run, decision, isTimeout, isCancel, event, command, at });
}

interface Decision {
  epoch: number;
  when: { pending: number };
  drafts: LogDraft[];
  facts: FactChanges;
  effects: Effect[];
}

function decisionOf(
  run: ResolvedRun,
  approval: Row<"approvals">,
  resolution: Resolution,
  command: NewRow<"commands">,
): Decision {
  const { epoch, pending = 0 } = run;
  const at = Date.now();
  const event = eventOf(approval, resolution, command.command_id, at);
  const drafts = [{ type: event.type, timestamp: at, json: JSON.stringify(event.data) }];
  const effects: Effect[] = approvalEffects(event, { run_id: run.run_id, task_id: run.task_id });
  const left = Math.max(0, pending - 1);
  effects.push({ do: "insert", table: "commands", row: command });
  const state = run.paused ? {} : ({ state: "working" } as const);
  const now = oneLine(nowByType[event.type]?.(event.data) ?? "goes on");
  const facts: FactChanges = { pending: left, now, ...(left === 0 && { status: "running", ...state }) };
  return { epoch, when: { pending }, drafts, facts, effects };
}

function eventOf(
  { approval_id, kind, requested_at, default_action }: Row<"approvals">,
  { decision, by, comment, isTimeout }: Resolution,
  command_id: string,
  at: number,
): { type: string; data: Record<string, unknown> } {
  const shared = { approval_id, ...(kind !== null && { kind }), command_id, resolved_at: instant(at) };
  if (isTimeout && decision === "reject") {
    const after_seconds = Math.max(0, Math.round((at - requested_at) / 1_000));
    const next = default_action === "cancel_run" ? "cancel_run" : "reject";
    return { type: "approval.timed_out", data: { ...shared, after_seconds, default_action: next } };
  }
  const status = decision === "approve" ? "approved" : "rejected";
  const told = comment !== undefined && comment !== "" && { comment };
  return { type: "approval.resolved", data: { ...shared, decision: status, status, by, scope: "once", ...told } };
}

const isOver = ({ status }: ResolvedRun): boolean =>
  status === "completed" || status === "failed" || status === "cancelled";
