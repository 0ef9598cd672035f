import { type Static, Type } from "@sinclair/typebox";
import { canonical, type Envelope, isEnvelopeType, problems, unknownFields, validator } from "@spoor/protocol";
import { readJson } from "./body.ts";
import { HttpError } from "./errors.ts";
import { runOf } from "./lookup.ts";
import type { Parts } from "./parts.ts";
import { sendJson } from "./respond.ts";
import type { Call, Route } from "./route.ts";

const CallerEvent = Type.Object(
  {
    type: Type.Optional(
      Type.String({
        pattern: "^[a-z][a-z0-9_]*(\\.[a-z0-9_]+)+$",
        maxLength: 128,
        description: "A dotted type of your own; `external.event` when left out.",
      }),
    ),
    data: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: "Anything; merged at the top level." }),
    ),
    step_id: Type.Optional(Type.String({ description: "The step it is about." })),
    status: Type.Optional(Type.String({ description: "A word on how things stand." })),
    note: Type.Optional(Type.String({ description: "A sentence for people." })),
  },
  { description: "What happened outside, for the run's timeline." },
);
type CallerEvent = Static<typeof CallerEvent>;

const Receipt = Type.Object({
  object: Type.Literal("receipt"),
  run_id: Type.String(),
  type: Type.String(),
  sequence: Type.Integer({ minimum: 0, description: "Its place in the run." }),
  position: Type.Integer({ minimum: 0, description: "Its place in the log." }),
  repeated: Type.Boolean({ description: "The key had been used: this is what was done then." }),
});

/** Lets a caller add to a run's timeline. What is committed is what is answered. */
export function postRoutes({ log }: Parts): Route[] {
  async function handle(call: Call): Promise<void> {
    const event = eventOf(await readJson(call.request));
    const key = keyOf(call);
    const run = await runOf(log, call);
    const { type = "external.event", data = {}, ...rest } = event;
    const [receipt] = await log.append([
      {
        run_id: run.run_id,
        drafts: [{ type, timestamp: Date.now(), json: JSON.stringify({ ...data, ...rest }) }],
        ...(key !== undefined && { idempotency_key: `${run.run_id}/${key}` }),
      },
    ]);
    if (!receipt) throw new HttpError("internal", "The log gave no receipt.");
    const { run_id, first_sequence: sequence, last_position: position, repeated } = receipt;
    sendJson(call.response, 201, { object: "receipt", run_id, type, sequence, position, repeated });
  }

  const route = {
    method: "POST",
    summary: "Add an event of your own to a run",
    headers: { "Idempotency-Key": "A second request with the same key adds nothing and gets the first one's receipt." },
    body: CallerEvent,
    answers: { 201: { description: "It is committed.", content: { "application/json": Receipt } } },
    handle,
  } as const satisfies Omit<Route, "path">;
  return [
    { ...route, path: "/v1/tasks/{task_id}/runs/{run_id}/events" },
    { ...route, path: "/v1/runs/{run_id}/events" },
  ];
}

const isCallerEvent = validator(CallerEvent);

function eventOf(body: unknown): CallerEvent {
  if (!isCallerEvent(body) || Array.isArray((body as CallerEvent).data)) {
    const [problem] = problems(CallerEvent, body, 1);
    throw new HttpError(
      "invalid_body",
      `The body${problem?.path ?? ""}: ${problem?.message ?? "data must be an object"}.`,
    );
  }
  const event = body as CallerEvent;
  const [stranger] = unknownFields(CallerEvent, event);
  if (stranger !== undefined) {
    throw new HttpError(
      "invalid_body",
      `${JSON.stringify(stranger.slice(0, 40))} is no field here; put it under data.`,
    );
  }
  if (event.type !== undefined && event.type !== "external.event" && isOurs(event.type)) {
    throw new HttpError("reserved_type", `${event.type} is written by Spoor itself.`);
  }
  return event;
}

/** A type of the catalog, also under a name it goes by elsewhere. */
const isOurs = (type: string): boolean => isEnvelopeType(canonical({ type, data: {} } as unknown as Envelope).type);

function keyOf({ request }: Call): string | undefined {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key !== "string" || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new HttpError("invalid_parameter", "Idempotency-Key must be 1 to 255 printable characters.");
  }
  return key;
}
