import { SCHEMA_VERSION } from "../envelope/envelope.ts";
import type { TextDraft } from "./encode.ts";

export interface RunIds {
  run_id: string;
  task_id?: string;
  session_id?: string;
}

/**
 * Writes the JSON text of a run's envelopes. These characters are what is stored, hashed and sent, so they are made
 * once, here; the parts that never change within a run are rendered ahead.
 */
export function createEnvelopeWriter(ids: RunIds): (draft: TextDraft, event_id: string, sequence: number) => string {
  const start = `{"schema_version":${JSON.stringify(SCHEMA_VERSION)},"event_id":"`;
  const context = Object.entries({ run_id: ids.run_id, task_id: ids.task_id, session_id: ids.session_id })
    .filter(([, id]) => id !== undefined)
    .map(([name, id]) => `"${name}":${JSON.stringify(id)},`)
    .join("");
  const afterId = `",${context}"sequence":`;
  let lastTime = Number.NaN;
  let atInstant = "";

  return (draft, event_id, sequence) => {
    if (draft.timestamp !== lastTime) {
      lastTime = draft.timestamp;
      atInstant = `,"occurred_at":"${instant(draft.timestamp)}","type":"`;
    }
    return `${start}${event_id}${afterId}${sequence}${atInstant}${draft.type}","data":${draft.json}}`;
  };
}

/** RFC 3339 of epoch milliseconds. */
export const instant = (timestamp: number): string => new Date(timestamp).toISOString();
