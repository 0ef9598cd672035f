import { instant } from "@spoor/protocol/lines";
import type { Log } from "../../log/log.ts";
import type { RunStatus, StoredRun } from "../../log/records.ts";
import type { ChatIds } from "./chat.ts";
import { taskIdOf, ulidIn } from "./ids.ts";

export type TaskState = "accepted" | "queued" | "running" | "completed" | "failed" | "cancelled";

/** A task of Acolyte: one request. */
export interface TaskRecord {
  id: string;
  state: TaskState;
  createdAt: string;
  updatedAt: string;
  runId?: string;
  sessionId?: string;
}

/** The states of requests. A request whose run is in the log has the state of the run, also after a restart. */
export interface Tasks {
  /** Notes the state of a request that has no run yet, or never gets one. */
  note(ids: ChatIds, state: TaskState): void;
  find(taskId: string): Promise<TaskRecord | undefined>;
}

const MAX_NOTED = 1_000;

export function createTasks(log: Log): Tasks {
  /** Oldest first. */
  const noted = new Map<string, TaskRecord>();
  return {
    note({ taskId, sessionId, runId }, state) {
      const updatedAt = instant(Date.now());
      const createdAt = noted.get(taskId)?.createdAt ?? updatedAt;
      noted.set(taskId, { id: taskId, state, createdAt, updatedAt, runId, sessionId });
      const [oldest] = noted.keys();
      if (noted.size > MAX_NOTED && oldest !== undefined) noted.delete(oldest);
    },
    async find(taskId) {
      const run = await runOf(log, taskId);
      const note = noted.get(taskId.toLowerCase());
      // A client knows its session by the name that it chose.
      return run ? { ...recordOf(taskId.toLowerCase(), run), ...(note && { sessionId: note.sessionId }) } : note;
    },
  };
}

/** The run of a request; for a task of ours, its newest run. */
async function runOf(log: Log, taskId: string): Promise<StoredRun | undefined> {
  const ulid = ulidIn(taskId);
  if (ulid === undefined) return undefined;
  const run = await log.run(`run_${ulid}`);
  if (run) return run;
  const task = await log.task(`task_${ulid}`);
  return task?.latest_run_id === undefined ? undefined : log.run(task.latest_run_id);
}

const stateOf: Readonly<Record<RunStatus, TaskState>> = {
  queued: "queued",
  // Acolyte knows no approvals: the stream's `status` events tell of them.
  awaiting_approval: "running",
  running: "running",
  completed: "completed",
  failed: "failed",
  cancelled: "cancelled",
};

const recordOf = (id: string, { run_id, task_id, status, created_at, updated_at }: StoredRun): TaskRecord => ({
  id,
  state: stateOf[status],
  createdAt: instant(created_at),
  updatedAt: instant(updated_at),
  runId: run_id,
  sessionId: taskIdOf(ulidIn(task_id) ?? "").replace("task_", "sess_"),
});
