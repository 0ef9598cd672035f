import { isTerminalRunType } from "@spoor/protocol/write";
import type { Effect } from "../../log/effects.ts";
import type { LogDraft } from "../../log/log.ts";
import type { NewRun } from "../../log/records.ts";
import { pausesWithoutWorker } from "./fact-memory.ts";
import { eventOf, type Projection } from "./projection.ts";

/** The table `queue`: runs that wait for a worker. A run that is parked, paused or over has no row. */
export const projectQueue: Projection = ({ type, data, at }, { run_id, kind }) => {
  if (type === "run.queued") {
    const { priority, due_at } = data;
    const remove: Effect<"queue"> = { do: "delete", table: "queue", key: run_id };
    const row = {
      run_id,
      kind,
      priority: typeof priority === "number" ? priority : 0,
      due_at: typeof due_at === "string" ? Date.parse(due_at) : 0,
      enqueued_at: at,
    };
    // A run that is queued again gets a new row, without the worker it had.
    return data.resume === true
      ? [remove, { do: "insert", table: "queue", row }]
      : [{ do: "insert", table: "queue", row }];
  }
  return isTerminalRunType(type) || givesBack(type, kind) ? [{ do: "delete", table: "queue", key: run_id }] : [];
};

/** Whether a run of ours gives its worker back with this event: it waits for a person, or for its end of a pause. */
const givesBack = (type: string, kind: string): boolean =>
  (type === "approval.requested" && kind !== "agent") || (type === "run.paused" && pausesWithoutWorker(kind));

/** The rows that a run of our loop changes when it waits: it has no worker then. */
export const givenBack = (run_id: string, drafts: readonly LogDraft[], { task_id = "", kind }: NewRun): Effect[] =>
  drafts.flatMap((draft) =>
    givesBack(draft.type, kind) ? projectQueue(eventOf(draft), { run_id, task_id, kind }) : [],
  );
