import type { RunStatus } from "../../log/records.ts";

/**
 * Where a task or a run can be. `waiting` is a run that a gate holds before its start, `parked` one of ours that waits
 * without a process, `asking` an external agent that waits for an answer.
 */
export type Place =
  | "nothing"
  | "not_started"
  | "waiting"
  | "queued"
  | "running"
  | "asking"
  | "parked"
  | "paused"
  | "over"
  | "deleted";

/** Who or what moves a run. */
export type Act =
  | "create"
  | "start"
  | "record"
  | "claim"
  | "approve"
  | "reject"
  | "deadline"
  | "ask"
  | "cancel"
  | "end"
  | "pause"
  | "unpause"
  | "recover"
  | "delete";

/** The code of an answer that refuses an act. */
export type Refusal =
  | "run_active"
  | "workspace_busy"
  | "not_running"
  | "paused"
  | "not_paused"
  | "run_over"
  | "approval_resolved"
  | "fenced";

/** One row of the state table. Each is one commit; when its guard fails, nothing is written. */
export interface Transition {
  row: number;
  from: readonly Place[];
  to: Place;
  by: Act;
  /** What the commit compares. */
  guard: string;
  /** The events of the commit in their order. `?` may be absent, `*` may repeat, `|` separates alternatives. */
  events: readonly string[];
}

const ended = "run.finished|run.failed|run.cancelled";
const closing = "closing events*";

/** All ways of a run, as the commits of this folder and of `queue/`, `approvals/` and `commands/` make them. */
export const transitions: readonly Transition[] = [
  { row: 1, from: ["nothing"], to: "not_started", by: "create", guard: "the key is unused", events: [] },
  {
    row: 2,
    from: ["not_started", "over"],
    to: "queued",
    by: "start",
    guard: "the task has no active run and is not deleted; the workspace is free",
    events: ["run.created", "run.resumed_from_event?", "run.queued"],
  },
  {
    row: 3,
    from: ["not_started", "over"],
    to: "waiting",
    by: "start",
    guard: "as row 2",
    events: ["run.created", "run.resumed_from_event?", "run.awaiting_approval", "approval.requested"],
  },
  {
    row: 4,
    from: ["nothing"],
    to: "running",
    by: "record",
    guard: "the run id is unused",
    events: ["run.created", "run.resumed_from_event?", "run.started", "user.message?"],
  },
  {
    row: 5,
    from: ["queued"],
    to: "running",
    by: "claim",
    guard: "the queue row is free and due",
    events: ["run.started"],
  },
  {
    row: 6,
    from: ["waiting"],
    to: "queued",
    by: "approve",
    guard: "the approval is pending; the run's `pending` is as read",
    events: ["approval.resolved", "run.queued"],
  },
  { row: 7, from: ["running"], to: "asking", by: "ask", guard: "the epoch", events: ["approval.requested"] },
  { row: 7, from: ["running"], to: "parked", by: "ask", guard: "the epoch", events: ["approval.requested"] },
  {
    row: 8,
    from: ["parked"],
    to: "queued",
    by: "approve",
    guard: "the approval is pending, the run is parked, its `pending` is as read",
    events: ["approval.resolved", "run.queued"],
  },
  ...(["approve", "reject", "deadline"] as const).map(
    (by): Transition => ({
      row: 9,
      from: ["asking"],
      to: "running",
      by,
      guard: "the approval is pending; the run's `pending` is as read",
      events: ["approval.resolved|approval.timed_out"],
    }),
  ),
  ...(["reject", "deadline"] as const).map(
    (by): Transition => ({
      row: 10,
      from: ["waiting", "parked"],
      to: "over",
      by,
      guard: "the approval is pending",
      events: [
        "approval.resolved|approval.timed_out",
        "approval.resolved*",
        closing,
        "session.ended?",
        "run.failed",
        "task.updated",
      ],
    }),
  ),
  {
    row: 11,
    from: ["waiting", "queued", "parked"],
    to: "over",
    by: "cancel",
    guard: "the run's status is unchanged",
    events: ["approval.resolved*", closing, "session.ended?", "run.cancelled", "task.updated"],
  },
  {
    row: 12,
    from: ["running", "asking", "paused"],
    to: "running",
    by: "cancel",
    guard: "the run is not over",
    events: [],
  },
  {
    row: 13,
    from: ["running", "asking"],
    to: "over",
    by: "end",
    guard: "the epoch",
    events: [closing, "session.ended?", ended, "task.updated"],
  },
  {
    row: 14,
    from: ["running"],
    to: "paused",
    by: "pause",
    guard: "the epoch; the run is ours and gives its lease back",
    events: ["run.paused"],
  },
  {
    row: 14,
    from: ["paused"],
    to: "queued",
    by: "unpause",
    guard: "the run is paused and has no worker",
    events: ["run.queued"],
  },
  { row: 15, from: ["running"], to: "paused", by: "pause", guard: "the epoch", events: ["run.paused"] },
  { row: 15, from: ["paused"], to: "running", by: "unpause", guard: "the epoch", events: ["run.unpaused"] },
  {
    row: 16,
    from: ["running", "paused"],
    to: "queued",
    by: "recover",
    guard: "the lease is lost; fewer than three attempts",
    events: ["gap.run_disconnected", closing, "run.queued"],
  },
  {
    row: 17,
    from: ["running", "asking", "paused"],
    to: "over",
    by: "recover",
    guard: "the lease is lost, or the process is gone",
    events: ["gap.run_disconnected", "approval.resolved*", closing, "session.ended?", ended, "task.updated"],
  },
  {
    row: 18,
    from: ["not_started", "over"],
    to: "deleted",
    by: "delete",
    guard: "the task has no active run",
    events: [],
  },
];

/** What a refused act is told, by the place where the run is. Other places cannot refuse the act. */
const refusals: Partial<Record<Act, Partial<Record<Place, Refusal>>>> = {
  start: all("run_active"),
  delete: all("run_active"),
  cancel: { over: "run_over" },
  pause: { paused: "paused", over: "run_over", queued: "not_running", ...waitingPlaces("not_running") },
  unpause: { over: "run_over", running: "not_paused", queued: "not_paused", ...waitingPlaces("not_paused") },
  approve: all("approval_resolved"),
  reject: all("approval_resolved"),
};

/** The facts of a run that tell where it is. */
export interface PlacedRun {
  status: RunStatus;
  paused?: boolean | undefined;
  parked?: boolean | undefined;
  /** Set once a worker started the run. */
  worker_id?: string | undefined;
  native_session_id?: string | undefined;
}

/** Where a run is, or a task without a run. */
export function placeOf(run: PlacedRun | undefined): Place {
  if (!run) return "not_started";
  if (run.status === "completed" || run.status === "failed" || run.status === "cancelled") return "over";
  if (run.status === "awaiting_approval") {
    if (run.parked) return "parked";
    return run.worker_id === undefined ? "waiting" : "asking";
  }
  if (run.paused) return "paused";
  return run.status === "queued" ? "queued" : "running";
}

/** Returns why an act is refused at a place; undefined if the table has a row for it. */
export function refusalOf(by: Act, place: Place): Refusal | undefined {
  if (transitions.some((row) => row.by === by && row.from.includes(place))) return undefined;
  return refusals[by]?.[place];
}

function all(code: Refusal): Partial<Record<Place, Refusal>> {
  return Object.fromEntries(
    (["waiting", "queued", "running", "asking", "parked", "paused"] as const).map((place) => [place, code]),
  );
}

function waitingPlaces(code: Refusal): Partial<Record<Place, Refusal>> {
  return { waiting: code, asking: code, parked: code };
}
