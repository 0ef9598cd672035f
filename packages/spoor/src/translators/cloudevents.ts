import type { Envelope } from "@spoor/protocol";
import { maybe, present, type Translator } from "./translator.ts";

/** An event as CloudEvents 1.0 writes it in JSON. Names of attributes are lowercase letters and digits by that standard. */
export interface CloudEvent {
  readonly specversion: "1.0";
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly time: string;
  readonly datacontenttype: "application/json";
  readonly data: unknown;
  /** What the event is about: a call, an artifact or an approval. */
  readonly subject?: string;
  readonly runid: string;
  readonly taskid?: string;
  readonly sessionid?: string;
  /** The sequence in the run, with zeros before it, so that texts sort like numbers. */
  readonly sequence: string;
  readonly partitionkey: string;
}

/** Translates each envelope into one CloudEvent. */
export const cloudEventTranslator = (): Translator<CloudEvent> => ({
  translate: (envelope) => [cloudEvent(envelope)],
  cut: () => [],
});

export function cloudEvent({
  event_id,
  run_id,
  task_id,
  session_id,
  sequence,
  occurred_at,
  type,
  data,
}: Envelope): CloudEvent {
  return present({
    specversion: "1.0",
    id: event_id,
    source: `/runs/${run_id}`,
    type: `dev.spoor.${type}.v1`,
    time: occurred_at,
    datacontenttype: "application/json",
    data,
    subject: maybe(data, "tool_call_id") ?? maybe(data, "artifact_id") ?? maybe(data, "approval_id"),
    runid: run_id,
    taskid: task_id,
    sessionid: session_id,
    sequence: String(sequence).padStart(20, "0"),
    partitionkey: run_id,
  }) as CloudEvent;
}
