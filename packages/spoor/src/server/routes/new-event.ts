import { envelopeDefinition, problems, unknownFields, validator } from "@spoor/protocol";
import { NewEvent } from "@spoor/protocol/api";
import { isReservedType } from "@spoor/protocol/write";
import type { LogDraft } from "../../log/log.ts";
import { draftOf } from "../../runtime/recorder/drafts.ts";
import { createRedactor } from "../../runtime/redaction/index.ts";
import { HttpError } from "../http/errors.ts";

const isNewEvent = validator(NewEvent);
const redactor = createRedactor();

/** What a caller wants to add to a run, without its secrets. Loads the whole protocol: import it when somebody posts. */
export function readNewEvent(body: unknown, now: number): LogDraft {
  const { type = "external.event", data, ...rest } = checked(body);
  return draftOf(type, now, { ...data, ...rest }, redactor);
}

function checked(body: unknown): NewEvent {
  if (!isNewEvent(body) || Array.isArray((body as NewEvent).data)) {
    const [problem] = problems(NewEvent, body, 1);
    throw new HttpError(
      "invalid_body",
      `The body${problem?.path ?? ""}: ${problem?.message ?? "data must be an object"}.`,
    );
  }
  const event = body as NewEvent;
  const [stranger] = unknownFields(NewEvent, event);
  if (stranger !== undefined) {
    throw new HttpError(
      "invalid_body",
      `${JSON.stringify(stranger.slice(0, 40))} is no field here; put it under data.`,
    );
  }
  if (event.type !== undefined && isReservedType(event.type)) {
    const [group] = event.type.split(".");
    throw new HttpError("reserved_type", `Types that begin with "${group}." are written by Spoor itself.`);
  }
  // What we define ourselves is held to it; what a caller's own type holds is the caller's.
  const { type = "external.event", data, ...rest } = event;
  const definition = envelopeDefinition(type);
  const [wrong] = definition ? problems(definition.data, { ...data, ...rest }, 1) : [];
  if (wrong) throw new HttpError("invalid_body", `The body/data${wrong.path}: ${wrong.message}.`);
  return event;
}
