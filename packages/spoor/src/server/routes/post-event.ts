import type { Receipt } from "@spoor/protocol/api";
import { isGap } from "../../log/gaps.ts";
import type { Log } from "../../log/log.ts";
import { readJson } from "../http/body.ts";
import { HttpError } from "../http/errors.ts";
import { sendJson } from "../http/respond.ts";
import type { Call, Route } from "../http/route.ts";
import type { Parts } from "../parts.ts";
import { runOf } from "./lookup.ts";

/** Lets a caller add to a run's timeline. What is committed is what is answered. */
export function postRoutes({ log }: Parts): Route[] {
  // Loaded at the first event, and asked for once: an import that has been made still takes its time.
  let loading: Promise<typeof import("./new-event.ts")> | undefined;

  async function handle(call: Call): Promise<void> {
    const body = await readJson(call.request);
    loading ??= import("./new-event.ts");
    const draft = (await loading).readNewEvent(body, Date.now());
    const key = keyOf(call);
    // Whether there is such a run the log says itself.
    const run = call.path.task_id === undefined ? { run_id: call.path.run_id ?? "" } : await runOf(log, call);
    const [receipt] = await log.append([
      {
        run_id: run.run_id,
        drafts: [draft],
        ...(key !== undefined && { idempotency_key: `${run.run_id}/${key}` }),
      },
    ]);
    if (!receipt) throw new HttpError("internal", "The log gave no receipt.");
    const { run_id, first_sequence: sequence, last_position: position, repeated } = receipt;
    const { type, json } = draft;
    if (repeated && !(await mayBe(log, run_id, sequence, `"type":"${type}","data":${json}}\n`))) {
      throw new HttpError("key_reused", `This Idempotency-Key was used for another event, at sequence ${sequence}.`);
    }
    const answer: Receipt = { object: "receipt", run_id, type, sequence, position, repeated };
    sendJson(call.response, 201, answer);
  }

  const route = {
    method: "POST",
    summary: "Add an event of your own to a run",
    headers: {
      "Idempotency-Key":
        "A second request with the same key adds nothing and gets the first one's receipt; one with another event is refused.",
    },
    body: "NewEvent",
    answers: { 201: { description: "It is committed.", content: { "application/json": "Receipt" } } },
    handle,
  } as const satisfies Omit<Route, "path" | "operation">;
  return [
    { ...route, path: "/v1/tasks/{task_id}/runs/{run_id}/events", operation: "addTaskRunEvent" },
    { ...route, path: "/v1/runs/{run_id}/events", operation: "addRunEvent" },
  ];
}

/** Whether the event at a place is the one that ends so. Of what is gone nobody can tell. */
async function mayBe(log: Log, run_id: string, sequence: number, end: string): Promise<boolean> {
  const [piece] = (await log.read(run_id, { after: sequence - 1, limit: 1 })).pieces;
  return !piece || isGap(piece) || piece.bytes.toString().endsWith(end);
}

function keyOf({ request }: Call): string | undefined {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key !== "string" || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new HttpError("invalid_parameter", "Idempotency-Key must be 1 to 255 printable characters.");
  }
  return key;
}
