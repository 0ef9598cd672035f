import { zstdDecompressSync } from "node:zlib";
import { asObject, asText, type Json, parseObject } from "../kit/json-values.ts";
import { millisecondsOf } from "../kit/session-draft.ts";
import { sessions as transcripts } from "../pi/pi-session-logs.ts";
import type { SessionLog, SessionLogs, SessionReader } from "../session-log.ts";

/**
 * One database per agent of OpenClaw, with the same entries that Pi writes to a file; older versions wrote such files.
 * Archived sessions are not read. The id of a session that can be resumed is its key in the gateway.
 */
export const sessions: SessionLogs = {
  files: /^[^/]+\/sessions\/(?<id>[^/]+)\.jsonl$/,
  database: {
    files: /^[^/]+\/agent\/openclaw-agent\.sqlite$/,
    asOf: "2026.9.6",
    tables: {
      session_nodes: ["session_key", "current_session_id", "label", "display_name", "spawned_by"],
      session_windows: ["session_id", "session_key", "model", "created_at", "updated_at"],
      transcript_events: ["session_id", "seq", "event_json", "event_zstd"],
    },
    sessions: `
      SELECT CASE
          WHEN node.current_session_id <> held.session_id THEN held.session_id
          WHEN instr(node.session_key, ':acp-bridge:') > 0
            THEN substr(node.session_key, instr(node.session_key, ':acp-bridge:') + 12)
          ELSE node.session_key
        END AS id,
        held.session_id AS key, coalesce(spawner.current_session_id, node.spawned_by) AS parent,
        held.updated_at AS updatedAt, held.created_at AS startedAt,
        coalesce(node.label, node.display_name) AS title, held.model
      FROM session_windows AS held
        JOIN session_nodes AS node ON node.session_key = held.session_key
        LEFT JOIN session_nodes AS spawner ON spawner.session_key = node.spawned_by
      WHERE EXISTS (SELECT 1 FROM transcript_events WHERE session_id = held.session_id)`,
    records: "SELECT event_json, event_zstd FROM transcript_events WHERE session_id = ? ORDER BY seq",
  },
  createReader: () => new OpenclawReader(),
};

class OpenclawReader implements SessionReader {
  readonly #transcript = transcripts.createReader();
  #row: Json = {};

  get log(): SessionLog {
    const { log } = this.#transcript;
    const { title, parent, model, startedAt } = this.#row;
    if (typeof title === "string" && title !== "") log.title ??= title;
    if (typeof model === "string") log.model ??= model;
    if (typeof parent === "string") log.isSubagent = true;
    const start = millisecondsOf(startedAt);
    if (start !== undefined) log.startedAt ??= start;
    return log;
  }

  record(record: Json): void {
    if (asText(record.key) === undefined) this.#transcript.record(entryOf(record));
    else this.#row = record;
  }
}

/** Long entries are compressed. Pi has another name for thinking tokens. */
function entryOf(record: Json): Json {
  const { event_json: text, event_zstd: packed } = record;
  if (text === undefined && packed === undefined) return record;
  const entry = parseObject(packed instanceof Uint8Array ? unpack(packed) : (asText(text) ?? "")) ?? {};
  const message = asObject(entry.message);
  const [content, usage] = [asText(message?.content), asObject(message?.usage)];
  return {
    ...entry,
    ...(message && {
      message: {
        ...message,
        ...(message.role === "user" && content !== undefined && { content: content.replace(WHERE, "") }),
        ...(usage && { usage: { ...usage, reasoning: usage.reasoningTokens } }),
      },
    }),
  };
}

const unpack = (packed: Uint8Array): string =>
  zstdDecompressSync(packed, { maxOutputLength: MOST_BYTES }).toString("utf8");

const MOST_BYTES = 64 * 2 ** 20;

/** The ACP bridge puts this text before a prompt. */
const WHERE = /^\[Working directory: [^\n]*\]\n\n/;
