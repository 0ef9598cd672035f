import { SCHEMA_VERSION } from "../envelope/version.ts";

export interface RunIds {
  run_id: string;
  task_id?: string;
  session_id?: string;
}

/** The content of an envelope. `json` is the text of its data. */
export interface Writable {
  type: string;
  /** Epoch milliseconds. */
  timestamp: number;
  json: string;
}

/**
 * Writes the JSON text of a run's envelopes. This text is stored, hashed and sent, so it is made only here. The parts that
 * are the same within a run are prepared once.
 */
export function createEnvelopeWriter(ids: RunIds): (draft: Writable, event_id: string, sequence: number) => string {
  const start = `{"schema_version":${JSON.stringify(SCHEMA_VERSION)},"event_id":"`;
  const context = Object.entries({ run_id: ids.run_id, task_id: ids.task_id, session_id: ids.session_id })
    .filter(([, id]) => id !== undefined)
    .map(([name, id]) => `"${name}":${JSON.stringify(id)},`)
    .join("");
  const afterId = `",${context}"sequence":`;
  let lastTime = Number.NaN;
  let lastType = "";
  let atInstant = "";
  let beforeData = "";

  return ({ timestamp, type, json }, event_id, sequence) => {
    if (timestamp !== lastTime) {
      atInstant = `,"occurred_at":"${instant(timestamp)}","type":"`;
      lastTime = timestamp;
      lastType = "";
    }
    if (type !== lastType) {
      lastType = type;
      beforeData = `${atInstant}${type}","data":`;
    }
    return `${start}${event_id}${afterId}${sequence}${beforeData}${json}}`;
  };
}

/** RFC 3339 of epoch milliseconds. */
export const instant = (timestamp: number): string => new Date(timestamp).toISOString();
