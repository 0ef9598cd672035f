import { Type } from "@sinclair/typebox";
import type { RunRecord, TaskRecord } from "../log/records.ts";
import { HttpError } from "./errors.ts";
import { runOf } from "./lookup.ts";
import { readers, runStatuses } from "./parameters.ts";
import type { Parts } from "./parts.ts";
import { sendJson } from "./respond.ts";
import type { Route } from "./route.ts";

const Instant = Type.String({ format: "date-time" });
const Status = Type.Union(runStatuses.map((status) => Type.Literal(status)));

const Run = Type.Object({
  object: Type.Literal("run"),
  run_id: Type.String(),
  task_id: Type.String(),
  agent: Type.String(),
  kind: Type.String(),
  status: Status,
  created_at: Instant,
  updated_at: Instant,
  ended_at: Type.Optional(Instant),
  first_sequence: Type.Integer({ minimum: 0 }),
  last_sequence: Type.Integer({ minimum: -1 }),
  last_position: Type.Integer({ minimum: -1 }),
});
const Task = Type.Object({
  object: Type.Literal("task"),
  task_id: Type.String(),
  title: Type.Optional(Type.String()),
  created_at: Instant,
  updated_at: Instant,
  run_count: Type.Integer({ minimum: 0 }),
  latest_run_id: Type.String(),
  latest_run_status: Status,
});
const listOf = (item: typeof Run | typeof Task) => ({
  description: "Newest first.",
  content: {
    "application/json": Type.Object({
      object: Type.Literal("list"),
      data: Type.Array(item),
      has_more: Type.Boolean(),
      next_before: Type.Union([Type.String(), Type.Null()]),
    }),
  },
});
const one = (item: typeof Run | typeof Task) => ({ description: "It.", content: { "application/json": item } });

/** Runs and tasks as their records stand. */
export function recordRoutes({ log }: Parts): Route[] {
  const runs: Route["handle"] = async ({ response, query, path }) => {
    const task_id = path.task_id ?? readers.text(query, "task_id");
    const found = await log.runs({
      limit: readers.limit(query),
      ...given({
        task_id,
        agent: readers.text(query, "agent"),
        status: readers.status(query),
        before: readers.text(query, "before"),
      }),
    });
    sendJson(response, 200, list(found.runs.map(runJson), found.more, found.runs.at(-1)?.run_id));
  };
  const run: Route["handle"] = async (call) => sendJson(call.response, 200, runJson(await runOf(log, call)));

  return [
    {
      method: "GET",
      path: "/v1/runs",
      summary: "Runs",
      query: ["task_id", "agent", "status", "before", "limit"],
      answers: { 200: listOf(Run) },
      handle: runs,
    },
    { method: "GET", path: "/v1/runs/{run_id}", summary: "A run", answers: { 200: one(Run) }, handle: run },
    {
      method: "GET",
      path: "/v1/tasks",
      summary: "Tasks",
      query: ["before", "limit"],
      answers: { 200: listOf(Task) },
      async handle({ response, query }) {
        const found = await log.tasks({
          limit: readers.limit(query),
          ...given({ before: readers.text(query, "before") }),
        });
        sendJson(response, 200, list(found.tasks.map(taskJson), found.more, found.tasks.at(-1)?.task_id));
      },
    },
    {
      method: "GET",
      path: "/v1/tasks/{task_id}",
      summary: "A task",
      answers: { 200: one(Task) },
      async handle({ response, path }) {
        const task = await log.task(path.task_id ?? "");
        if (!task) throw new HttpError("task_not_found", `There is no task ${path.task_id}.`);
        sendJson(response, 200, taskJson(task));
      },
    },
    {
      method: "GET",
      path: "/v1/tasks/{task_id}/runs",
      summary: "Runs of a task",
      query: ["agent", "status", "before", "limit"],
      answers: { 200: listOf(Run) },
      handle: runs,
    },
    {
      method: "GET",
      path: "/v1/tasks/{task_id}/runs/{run_id}",
      summary: "A run of a task",
      answers: { 200: one(Run) },
      handle: run,
    },
  ];
}

const list = (data: unknown[], has_more: boolean, last: string | undefined) => ({
  object: "list",
  data,
  has_more,
  next_before: (has_more && last) || null,
});

const instant = (time: number): string => new Date(time).toISOString();

const runJson = ({ created_at, updated_at, ended_at, ...run }: RunRecord) => ({
  object: "run",
  ...run,
  created_at: instant(created_at),
  updated_at: instant(updated_at),
  ...(ended_at !== undefined && { ended_at: instant(ended_at) }),
});

const taskJson = ({ created_at, updated_at, ...task }: TaskRecord) => ({
  object: "task",
  ...task,
  created_at: instant(created_at),
  updated_at: instant(updated_at),
});

/** Without what is undefined. */
function given<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
