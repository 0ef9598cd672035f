import { ValidationError } from "../../failures/errors.ts";
import { LogError, type LogErrorCode } from "../../log/errors.ts";
import { TaskError } from "../../runtime/tasks/task-error.ts";

/** Every error code with its status and the hint that says what to do. */
const table = {
  bad_request: [400, "GET /docs describes every request."],
  invalid_parameter: [400, "GET /docs lists the allowed values of every parameter."],
  invalid_cursor: [400, "Send the last cursor you received. Leave it out, or send -1, to read from the start."],
  invalid_json: [400, "Send one JSON object in UTF-8."],
  invalid_body: [
    400,
    "GET /openapi.json describes the body of every request, docs/http.md every message of the WebSocket.",
  ],
  reserved_type: [
    400,
    "Use a dotted type of your own, such as acme.deployed, or leave the type out for external.event.",
  ],
  unauthorized: [
    401,
    "Send `Authorization: Bearer <token>` with the token from the data directory. For a browser, run `spoor login` and open the link.",
  ],
  forbidden_host: [
    403,
    "Use the address that `spoor serve` printed, or allow this name with `spoor serve --allow-host`.",
  ],
  forbidden_origin: [
    403,
    "In a browser, only the server's own page can call it. Programs must not send Origin or Sec-Fetch-Site.",
  ],
  login_code_used: [403, "Run `spoor login` for a new link. Each works once, for 15 minutes."],
  not_found: [404, "GET /docs lists all routes."],
  run_not_found: [404, "GET /v1/runs lists the runs."],
  artifact_not_found: [404, "GET /v1/artifacts lists the artifacts."],
  approval_not_found: [404, "GET /v1/approvals lists the approvals."],
  task_not_found: [404, "GET /v1/tasks lists the tasks."],
  webhook_not_found: [404, "GET /v1/webhooks lists the receivers. `spoor serve --webhook` adds one."],
  method_not_allowed: [405, "The Allow header lists the supported methods."],
  request_timeout: [408, "Send the headers within 5 seconds and the whole request within 30."],
  fenced: [409, "Another process took over as the producer of this run. Stop writing to it."],
  conflict: [409, "Somebody else was first. Read the record again, and repeat the request if it still applies."],
  run_exists: [409, "Choose another run id."],
  wrong_status: [409, "GET /v1/artifacts/{artifact_id} shows the status of the patch."],
  run_active: [409, "Wait until that run is over, or cancel it with POST /v1/runs/{run_id}/cancel."],
  workspace_busy: [
    409,
    "Wait until that run is over, or give the task a workspace of its own: mode worktree or clone.",
  ],
  run_over: [409, "A run that is over cannot be changed. POST /v1/runs/{run_id}/retry or /continue makes a new one."],
  approval_resolved: [409, "The first answer counts. The record says who gave it."],
  action_changed: [409, "Look at the approval again: it is for another action than the one you saw."],
  not_pending: [409, "GET /v1/runs/{run_id}/approvals lists what waits for an answer."],
  not_running: [409, "Wait until the run has started, or cancel it."],
  paused: [409, "POST /v1/runs/{run_id}/unpause lets the run go on."],
  not_paused: [409, "Only a paused run can be unpaused."],
  not_supported: [409, "GET /v1/agents says what each agent can do."],
  approval_gone: [410, "Nothing waits for this answer any more. If another run took over, the agent asks there again."],
  content_gone: [
    410,
    "The content or its workspace may have been pruned or removed. The record and the events are still there.",
  ],
  body_too_large: [413, "Send a smaller body. Store large content as an artifact."],
  unsupported_media_type: [415, "Send `Content-Type: application/json`."],
  range_not_satisfiable: [416, "Ask for a range that begins before the end of the content."],
  path_refused: [422, "Spoor never writes this path or this kind of file. Make the change yourself if you want it."],
  not_revertible: [422, "The bytes of this file were not kept. Restore it from your own version control."],
  key_reused: [422, "Use a new Idempotency-Key for every new request."],
  invalid: [422, "GET /openapi.json describes the body of every request."],
  not_available: [422, "`spoor agents` lists the agents that are installed here."],
  model_not_configured: [422, "`spoor agents <name>` says how to log in to the agent, or which keys it needs."],
  policy_blocked: [422, "`spoor policy check` explains what the rules say."],
  upgrade_required: [426, "Connect with a WebSocket client."],
  too_many_attempts: [429, "Wait a minute. The token is in the file `token` of the data directory."],
  headers_too_large: [431, "Send fewer or shorter headers."],
  internal: [500, "This is a bug in Spoor. Report it with the request id."],
  damaged: [500, "Run `spoor verify` to see what is damaged."],
  server_full: [503, "Close connections that you no longer use, and try again in a moment."],
  too_many_streams: [503, "Close streams that you no longer read, and try again."],
  shutting_down: [503, "Try again when the server runs again. Nothing is lost."],
  log_unavailable: [
    503,
    "Read the server's messages. After a failed write, check the disk and restart the server. Committed events are safe.",
  ],
  disk_full: [
    507,
    "Free some disk space. `spoor prune` frees more, but needs a little space itself. Committed events are safe.",
  ],
} as const satisfies Record<string, readonly [status: number, hint: string]>;

export type HttpErrorCode = keyof typeof table;
export const httpErrorCodes = Object.keys(table) as HttpErrorCode[];
export const hintOf = (code: HttpErrorCode): string => table[code][1];
export const statusOf = (code: HttpErrorCode): number => table[code][0];

export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly code: HttpErrorCode;
  readonly headers: Readonly<Record<string, string>>;
  /** What stood in the way. */
  readonly conflict: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: HttpErrorCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    conflict?: Readonly<Record<string, unknown>>,
  ) {
    super(message);
    this.code = code;
    this.headers = headers;
    this.conflict = conflict;
  }
}

/** The body of an error answer. */
export function errorBody(error: HttpError, request_id?: string) {
  const { code, message, conflict } = error;
  return {
    error: { code, message, hint: hintOf(code), ...(request_id && { request_id }), ...(conflict && { conflict }) },
  };
}

/** Hides unexpected errors from the caller; the listener reports them to the operator. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof TaskError) return new HttpError(error.code, error.message, {}, error.conflict);
  if (error instanceof ValidationError) return new HttpError("invalid", error.message);
  if (error instanceof LogError) return new HttpError(codeOfLogError[error.code], error.message);
  return new HttpError("internal", "The server failed to handle this request.");
}

const codeOfLogError: Record<LogErrorCode, HttpErrorCode> = {
  fenced: "fenced",
  run_exists: "run_exists",
  conflict: "conflict",
  bad_event: "invalid_body",
  bad_row: "internal",
  run_not_found: "run_not_found",
  disk_full: "disk_full",
  write_failed: "log_unavailable",
  removed: "log_unavailable",
  damaged: "damaged",
  unreadable: "log_unavailable",
  newer_schema: "log_unavailable",
  no_access: "log_unavailable",
  not_a_log: "log_unavailable",
  unsupported_store: "log_unavailable",
  unsafe: "log_unavailable",
  linked: "log_unavailable",
  reserved_type: "reserved_type",
  busy: "log_unavailable",
  closed: "log_unavailable",
};
