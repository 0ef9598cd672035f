import type * as api from "@spoor/protocol/api";
import { runJson, taskJson } from "../../log/record-json.ts";
import type { StoredRun } from "../../log/records.ts";
import type { TaskContext } from "../../runtime/tasks/context.ts";
import type { KeyedRequest } from "../../runtime/tasks/requests.ts";
import type { FollowUp } from "../../runtime/tasks/start.ts";
import { HttpError } from "../http/http-error.ts";
import { idempotencyKeyOf } from "../http/idempotency-key.ts";
import { readJson, readOptionalJson } from "../http/json-body.ts";
import { sendJson } from "../http/respond.ts";
import type { Route, RouteCall, RouteHandler, SchemaName } from "../http/route.ts";
import { findRun } from "./find-run.ts";
import { readFields, text, whole } from "./read-fields.ts";
import type { RouteContext } from "./route-context.ts";

/** Creates, starts and deletes tasks, and makes runs that follow earlier ones. */
export function taskRoutes({ log, directory, kinds, canExecute }: RouteContext): Route[] {
  const context: TaskContext = { log, directory, kinds, canExecute, by: "http" };
  // Loaded at the first request. Keep the promise: importing a loaded module still takes time.
  let loading: Promise<typeof import("../../runtime/tasks/index.ts")> | undefined;
  const tasks = () => {
    loading ??= import("../../runtime/tasks/index.ts");
    return loading;
  };

  const create: RouteHandler = async (call) => {
    const { start = false, ...body } = objectOf(await readJson(call.request));
    if (typeof start !== "boolean") throw new HttpError("invalid", "start must be true or false.");
    const { createAndStart, createTask, readSpec } = await tasks();
    const spec = readSpec(body);
    const request = requestOf(call, { ...body, start });
    const task_id = start
      ? (await createAndStart(context, spec, { request })).task_id
      : await createTask(context, spec, request);
    const task = await log.task(task_id);
    if (!task) throw new HttpError("task_not_found", `The task ${task_id} was deleted.`);
    const answer: api.TaskAnswer = { object: "task", data: taskJson(task) };
    sendJson(call.response, 201, answer);
  };

  const start: RouteHandler = async (call) => {
    const body = readFields(objectOf(await readOptionalJson(call.request)), { optional: { reason: text } });
    const { startTask } = await tasks();
    const run = await startTask(context, call.path.task_id ?? "", { ...body, request: requestOf(call, body) });
    sendRun(call, run);
  };

  const follow =
    (way: FollowUp): RouteHandler =>
    async (call) => {
      const optional = way === "retry-from-turn" ? { turn: whole } : way === "retry" ? {} : { prompt: text };
      const body = readFields(objectOf(await readOptionalJson(call.request)), {
        optional: { reason: text, ...optional },
      });
      const { run_id } = await findRun(log, call);
      const { followUp } = await tasks();
      const run = await followUp(context, way, run_id, { ...body, request: requestOf(call, body) });
      sendRun(call, run);
    };

  const remove: RouteHandler = async (call) => {
    const task_id = call.path.task_id ?? "";
    const { deleteTask } = await tasks();
    await deleteTask(context, task_id);
    const answer: api.DeletedTask = { object: "task.deleted", task_id };
    sendJson(call.response, 200, answer);
  };

  return [
    {
      method: "POST",
      path: "/v1/tasks",
      operation: "createTask",
      summary: "Create a task",
      description: "The task does not run before it is started, unless `start` is true.",
      headers: keyHeader,
      body: "NewTask",
      answers: { 201: made("The task.", "TaskAnswer") },
      handle: create,
    },
    {
      method: "DELETE",
      path: "/v1/tasks/{task_id}",
      operation: "deleteTask",
      summary: "Delete a task",
      description: "Its runs and their events stay.",
      answers: { 200: made("The task is not listed any more.", "DeletedTask") },
      handle: remove,
    },
    {
      method: "POST",
      path: "/v1/tasks/{task_id}/start",
      operation: "startTask",
      summary: "Start a task",
      headers: keyHeader,
      body: "StartTask",
      bodyOptional: true,
      answers: { 201: made("The new run.", "RunAnswer") },
      handle: start,
    },
    ...followUpRows.flatMap(([way, operation, summary]): Route[] => {
      const route = {
        method: "POST",
        summary,
        headers: keyHeader,
        body: "FollowUpRun",
        bodyOptional: true,
        answers: { 201: made("The new run.", "RunAnswer") },
        handle: follow(way),
      } as const satisfies Omit<Route, "path" | "operation">;
      return [
        { ...route, path: `/v1/runs/{run_id}/${way}`, operation },
        { ...route, path: `/v1/tasks/{task_id}/runs/{run_id}/${way}`, operation: operation.replace("Run", "TaskRun") },
      ];
    }),
  ];
}

const followUpRows: readonly [way: FollowUp, operation: string, summary: string][] = [
  ["retry", "retryRun", "Repeat a run from its beginning"],
  ["resume", "resumeRun", "Go on with a run that stopped, in a new run"],
  ["continue", "continueRun", "Go on with the conversation of a run, with a new prompt"],
  ["fork", "forkRun", "Go on with a copy of the conversation, in a new task"],
  ["retry-from-turn", "retryRunFromTurn", "Repeat a run from one of its turns on"],
];

const keyHeader = {
  "Idempotency-Key":
    "A second request with the same key makes nothing and gets the answer of the first. A different request under the same key is refused.",
};

const made = (description: string, schema: SchemaName) => ({ description, content: { "application/json": schema } });

function sendRun({ response }: RouteCall, run: StoredRun): void {
  const answer: api.RunAnswer = { object: "run", data: runJson(run) };
  sendJson(response, 201, answer);
}

/** The same key for another route is another request. */
function requestOf({ request, path }: RouteCall, body: object): KeyedRequest | undefined {
  const key = idempotencyKeyOf(request);
  const asked = request.url?.replace(/^\/hecate\/v1\//, "/v1/").replace(/^\/v1\/tasks\/[^/]+\/runs\//, "/v1/runs/");
  return key === undefined ? undefined : { key, body: { asked, path: path.run_id ?? path.task_id, body } };
}

function objectOf(body: unknown): Record<string, unknown> {
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw new HttpError("invalid_body", "The body must be a JSON object.");
}
