import type * as api from "@spoor/protocol/api";
import { CommandError, readRefusal } from "../../runtime/commands/command-error.ts";
import { commandJson } from "../../runtime/commands/record-json.ts";
import type { CommandKind } from "../../runtime/commands/send.ts";
import { HttpError } from "../http/http-error.ts";
import { idempotencyKeyOf } from "../http/idempotency-key.ts";
import { readJson, readOptionalJson } from "../http/json-body.ts";
import { readers } from "../http/query-parameters.ts";
import { sendJson } from "../http/respond.ts";
import type { Route, RouteCall, RouteHandler } from "../http/route.ts";
import { findRun } from "./find-run.ts";
import { pageOf } from "./page-of-rows.ts";
import { readFields, text } from "./read-fields.ts";
import type { RouteContext } from "./route-context.ts";

const answer = (description: string) => ({ description, content: { "application/json": "OneCommand" } }) as const;

/** Tells runs what to do, wherever they are executed. */
export function commandRoutes({ log }: RouteContext): Route[] {
  // Loaded at the first command. Keep the promise: importing a loaded module still takes time.
  let loading: Promise<typeof import("../../runtime/commands/carry-out.ts")> | undefined;

  const handle =
    (name: keyof typeof commands): RouteHandler =>
    async (call) => {
      const { run_id } = await findRun(log, call);
      const waitMs = readers.wait(call.query) * 1_000;
      const { kind, body } = await readCommand(name, call);
      const key = idempotencyKeyOf(call.request);
      loading ??= import("../../runtime/commands/carry-out.ts");
      const { carryOut } = await loading;
      const gone = new AbortController();
      call.response.once("close", () => gone.abort());
      const request = {
        run_id,
        kind,
        body,
        by: "http",
        ...(key !== undefined && { idempotency_key: `command/${key}` }),
      };
      try {
        const { command } = await carryOut(log, request, { waitMs, signal: gone.signal });
        if (command.outcome === "refused") throw readRefusal(command.detail);
        const data: api.OneCommand = { object: "command", data: commandJson(command) };
        sendJson(call.response, command.done_at === null ? 202 : 200, data);
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        const run = await log.run(run_id);
        throw new HttpError(error.code, error.message, {}, run && { run_id, status: run.status });
      }
    };

  const list: RouteHandler = async (call) => {
    const { run_id } = await findRun(log, call);
    const { rows, ...more } = await pageOf(log, "commands", call.query, { where: { run_id }, order: "created_at" });
    const page: api.CommandList = { object: "list", data: rows.map(commandJson), ...more };
    sendJson(call.response, 200, page);
  };

  const places = [
    { base: "/v1/runs/{run_id}", of: "Run" },
    { base: "/v1/tasks/{task_id}/runs/{run_id}", of: "TaskRun" },
  ];
  return places.flatMap(({ base, of }): Route[] => [
    ...Object.entries(commands).map(
      ([name, { summary, description, body }]): Route => ({
        method: "POST",
        path: `${base}/${name}`,
        operation: `${name}${of}`,
        summary,
        description: `${description} The answer is 202 if the run has not carried it out yet, and 409 if it refuses.`,
        query: "WaitQuery",
        headers: {
          "Idempotency-Key": "A second request with the same key sends nothing and gets the command of the first.",
        },
        body,
        ...(name !== "send" && { bodyOptional: true as const }),
        answers: { 200: answer("The run has carried it out."), 202: answer("The run has not carried it out yet.") },
        handle: handle(name as keyof typeof commands),
      }),
    ),
    {
      method: "GET",
      path: `${base}/commands`,
      operation: `list${of}Commands`,
      summary: "List the commands of a run",
      query: "CommandsQuery",
      answers: { 200: { description: "Newest first.", content: { "application/json": "CommandList" } } },
      handle: list,
    },
  ]);
}

async function readCommand(
  name: keyof typeof commands,
  { request }: RouteCall,
): Promise<{
  kind: CommandKind;
  body: { reason?: string | undefined; text?: string; interaction_id?: string | undefined };
}> {
  if (name !== "send")
    return { kind: name, body: readFields(await readOptionalJson(request), { optional: { reason: text } }) };
  const body = readFields(await readJson(request), {
    required: { text },
    optional: { interaction_id: text, reason: text },
  });
  return { kind: body.interaction_id === undefined ? "send" : "answer", body };
}

const commands = {
  cancel: {
    summary: "End a run",
    description: "Ends the run and all its processes. A run that waits in the queue never starts.",
    body: "CommandBody",
  },
  interrupt: {
    summary: "Ask the agent to stop",
    description: "Asks the agent to stop what it does, as Ctrl-C does in its terminal.",
    body: "CommandBody",
  },
  pause: { summary: "Pause a run", description: "Stops the processes of the run.", body: "CommandBody" },
  unpause: { summary: "Let a paused run go on", description: "Lets the processes go on.", body: "CommandBody" },
  send: {
    summary: "Give the agent a text",
    description: "Gives the agent another prompt, or the answer to the question that `interaction_id` names.",
    body: "SendBody",
  },
} as const;
