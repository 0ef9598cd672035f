import { homedir } from "node:os";
import type * as api from "@spoor/protocol/api";
import { taskJson } from "../../log/record-json.ts";
import { describeRuns } from "../../runtime/list-runs.ts";
import { HttpError } from "../http/http-error.ts";
import { readers } from "../http/query-parameters.ts";
import { sendJson } from "../http/respond.ts";
import type { Route, RouteHandler, SchemaName } from "../http/route.ts";
import { findRun } from "./find-run.ts";
import type { RouteContext } from "./route-context.ts";

const page = (schema: SchemaName) => ({ description: "Newest first.", content: { "application/json": schema } });
const one = (schema: SchemaName) => ({ description: "The record.", content: { "application/json": schema } });

/** The records of runs and tasks. */
export function runAndTaskRoutes({ log }: RouteContext): Route[] {
  const runs: RouteHandler = async ({ response, query, path }) => {
    const task_id = path.task_id ?? readers.text(query, "task_id");
    const found = await log.runs({
      limit: readers.limit(query),
      hide_renormalized: !readers.flag(query, "renormalized"),
      counts: readers.flag(query, "counts"),
      ...defined({
        task_id,
        agent: readers.text(query, "agent"),
        status: readers.status(query),
        state: readers.state(query),
        model: readers.text(query, "model"),
        // `~` is the home folder, which no shell has put in its place.
        path: readers.path(query)?.replace(/^~(?=\/|$)/, () => homedir()),
        q: readers.text(query, "q"),
        native_session_id: readers.text(query, "native_session_id"),
        before: readers.text(query, "before"),
      }),
    });
    const answer: api.RunList = {
      ...list(describeRuns(found.runs), found.more, found.runs.at(-1)?.run_id),
      ...(found.counts && { counts: found.counts }),
      home: homedir(),
    };
    sendJson(response, 200, answer);
  };
  const run: RouteHandler = async (call) => {
    const [data] = describeRuns([await findRun(log, call)]) as [api.RunRecord];
    const answer: api.RunAnswer = { object: "run", data };
    sendJson(call.response, 200, answer);
  };

  return [
    {
      method: "GET",
      path: "/v1/runs",
      operation: "listRuns",
      summary: "List runs",
      query: "RunsQuery",
      answers: { 200: page("RunList") },
      handle: runs,
    },
    {
      method: "GET",
      path: "/v1/runs/{run_id}",
      operation: "getRun",
      summary: "Get a run",
      answers: { 200: one("RunAnswer") },
      handle: run,
    },
    {
      method: "GET",
      path: "/v1/tasks",
      operation: "listTasks",
      summary: "List tasks",
      query: "TasksQuery",
      answers: { 200: page("TaskList") },
      async handle({ response, query }) {
        const found = await log.tasks({
          limit: readers.limit(query),
          ...defined({ before: readers.text(query, "before") }),
        });
        const answer: api.TaskList = list(found.tasks.map(taskJson), found.more, found.tasks.at(-1)?.task_id);
        sendJson(response, 200, answer);
      },
    },
    {
      method: "GET",
      path: "/v1/tasks/{task_id}",
      operation: "getTask",
      summary: "Get a task",
      answers: { 200: one("TaskAnswer") },
      async handle({ response, path }) {
        const task = await log.task(path.task_id ?? "");
        if (!task) throw new HttpError("task_not_found", `There is no task ${path.task_id}.`);
        const answer: api.TaskAnswer = { object: "task", data: taskJson(task) };
        sendJson(response, 200, answer);
      },
    },
    {
      method: "GET",
      path: "/v1/tasks/{task_id}/runs",
      operation: "listTaskRuns",
      summary: "List the runs of a task",
      query: "TaskRunsQuery",
      answers: { 200: page("RunList") },
      handle: runs,
    },
    {
      method: "GET",
      path: "/v1/tasks/{task_id}/runs/{run_id}",
      operation: "getTaskRun",
      summary: "Get a run of a task",
      answers: { 200: one("RunAnswer") },
      handle: run,
    },
  ];
}

const list = <Item>(data: Item[], has_more: boolean, last: string | undefined) => ({
  object: "list" as const,
  data,
  has_more,
  next_before: (has_more && last) || null,
});

/** Removes fields that are undefined. */
function defined<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
