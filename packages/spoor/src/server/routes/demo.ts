import type * as api from "@spoor/protocol/api";
import { createUlidSource, prefixed } from "@spoor/protocol/ids";
import { runJson } from "../../log/record-json.ts";
import { HttpError } from "../http/http-error.ts";
import { idempotencyKeyOf } from "../http/idempotency-key.ts";
import { readOptionalJson } from "../http/json-body.ts";
import { sendJson } from "../http/respond.ts";
import type { Route, RouteHandler } from "../http/route.ts";
import type { RouteContext } from "./route-context.ts";

/** Starts a run that shows people what a run is. */
export function demoRoutes({ log, directory, kinds, canExecute }: RouteContext): Route[] {
  const handle: RouteHandler = async ({ request, response }) => {
    const kind = kinds.find(({ kind, demo }) => demo !== undefined && canExecute(kind));
    if (!kind?.demo) {
      const message = "This server has no demo: it does not offer Spoor's own loop. Run `npx spoor demo` instead.";
      throw new HttpError("not_supported", message);
    }
    await readOptionalJson(request);
    const key = idempotencyKeyOf(request);
    const run_id = prefixed("run", newUlid());
    const { createAndStart } = await import("../../runtime/tasks/index.ts");
    const context = { log, directory, kinds, canExecute, by: "http" };
    const start = { run_id, ...(key !== undefined && { request: { key, body: { asked: "/v1/demo" } } }) };
    const { spec, discard } = await kind.demo();
    const run = await createAndStart(context, spec, start).catch((error: unknown) => {
      discard();
      throw error;
    });
    // The same request was sent before: its run has a folder of its own.
    if (run.run_id !== run_id) discard();
    const answer: api.RunAnswer = { object: "run", data: runJson(run) };
    sendJson(response, 201, answer);
  };
  return [
    {
      method: "POST",
      path: "/v1/demo",
      operation: "startDemo",
      summary: "Start the demo",
      description:
        "Makes a scratch folder and starts the run that `spoor demo` shows: a scripted model, and everything else is real. It needs no key and no agent, and waits for an answer to its question.",
      headers: {
        "Idempotency-Key": "A second request with the same key starts nothing and gets the run of the first.",
      },
      answers: { 201: { description: "The new run.", content: { "application/json": "RunAnswer" } } },
      handle,
    },
  ];
}

const newUlid = createUlidSource();
