import { envelopeDefinition, problems, unknownFields, validator } from "@spoor/protocol";
import { NewEvent } from "@spoor/protocol/api";
import { isReservedType } from "@spoor/protocol/write";
import type { LogDraft } from "../../log/log.ts";
import { draftOf } from "../../runtime/redaction/drafts.ts";
import { createRedactor } from "../../runtime/redaction/index.ts";
import { HttpError } from "../http/http-error.ts";

const isNewEvent = validator(NewEvent);
const redactor = createRedactor();

/** Checks a caller's event and redacts its secrets. Loads all schemas: import this at the first event. */
export function readNewEvent(body: unknown, now: number): LogDraft {
  const { type = "external.event", data, ...rest } = checked(body);
  return draftOf(type, now, { ...data, ...rest }, redactor);
}

function checked(body: unknown): NewEvent {
  if (!isNewEvent(body) || Array.isArray((body as NewEvent).data)) {
    const [problem] = problems(NewEvent, body, 1);
    throw new HttpError(
      "invalid_body",
      `The body is invalid at ${problem?.path || "/"}: ${problem?.message ?? "data must be an object"}.`,
    );
  }
  const event = body as NewEvent;
  const [unknown] = unknownFields(NewEvent, event);
  if (unknown !== undefined) {
    throw new HttpError(
      "invalid_body",
      `The body has an unknown field ${JSON.stringify(unknown.slice(0, 40))}. Put fields of your own under data.`,
    );
  }
  if (event.type !== undefined && isReservedType(event.type)) {
    const [group] = event.type.split(".");
    throw new HttpError(
      "reserved_type",
      `The type ${event.type} is reserved: only Spoor writes types that begin with "${group}.".`,
    );
  }
  // Types that the catalog defines must match their schema; the data of a caller's own types is not checked.
  const { type = "external.event", data, ...rest } = event;
  const definition = envelopeDefinition(type);
  const [wrong] = definition ? problems(definition.data, { ...data, ...rest }, 1) : [];
  if (wrong) throw new HttpError("invalid_body", `The body is invalid at /data${wrong.path}: ${wrong.message}.`);
  return event;
}
