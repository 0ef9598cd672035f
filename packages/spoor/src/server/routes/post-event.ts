import type { Receipt } from "@spoor/protocol/api";
import { isGap } from "../../log/gaps.ts";
import type { Log } from "../../log/log.ts";
import { HttpError } from "../http/http-error.ts";
import { idempotencyKeyOf } from "../http/idempotency-key.ts";
import { readJson } from "../http/json-body.ts";
import { sendJson } from "../http/respond.ts";
import type { Route, RouteCall } from "../http/route.ts";
import { findRun } from "./find-run.ts";
import type { RouteContext } from "./route-context.ts";

/** Lets a caller add an event to a run. The answer is sent after the commit. */
export function postRoutes({ log }: RouteContext): Route[] {
  // Loaded at the first event. Keep the promise: importing a loaded module still takes time.
  let loading: Promise<typeof import("./new-event.ts")> | undefined;

  async function handle(call: RouteCall): Promise<void> {
    const body = await readJson(call.request);
    loading ??= import("./new-event.ts");
    const draft = (await loading).readNewEvent(body, Date.now());
    const key = idempotencyKeyOf(call.request);
    // Without a task there is no lookup: `log.append` throws when there is no such run.
    const run = call.path.task_id === undefined ? { run_id: call.path.run_id ?? "" } : await findRun(log, call);
    const [receipt] = await log.append([
      {
        run_id: run.run_id,
        drafts: [draft],
        ...(key !== undefined && { idempotency_key: `${run.run_id}/${key}` }),
      },
    ]);
    if (!receipt) throw new HttpError("internal", "The log returned no receipt.");
    const { run_id, first_sequence: sequence, last_position: position, repeated } = receipt;
    const { type, json } = draft;
    if (repeated && !(await mayEndWith(log, run_id, sequence, `"type":"${type}","data":${json}}\n`))) {
      throw new HttpError(
        "key_reused",
        `This Idempotency-Key was already used for a different event, which is stored at sequence ${sequence}.`,
      );
    }
    const answer: Receipt = { object: "receipt", run_id, type, sequence, position, repeated };
    sendJson(call.response, 201, answer);
  }

  const route = {
    method: "POST",
    summary: "Add an event of your own to a run",
    headers: {
      "Idempotency-Key":
        "A second request with the same key adds nothing and gets the receipt of the first. A different event under the same key is refused.",
    },
    body: "NewEvent",
    answers: { 201: { description: "The event is committed.", content: { "application/json": "Receipt" } } },
    handle,
  } as const satisfies Omit<Route, "path" | "operation">;
  return [
    { ...route, path: "/v1/tasks/{task_id}/runs/{run_id}/events", operation: "addTaskRunEvent" },
    { ...route, path: "/v1/runs/{run_id}/events", operation: "addRunEvent" },
  ];
}

/** Whether the stored event ends with this text. True when the event was pruned or lost, and cannot be compared. */
async function mayEndWith(log: Log, run_id: string, sequence: number, end: string): Promise<boolean> {
  const [piece] = (await log.read(run_id, { after: sequence - 1, limit: 1 })).pieces;
  return !piece || isGap(piece) || piece.bytes.toString().endsWith(end);
}
