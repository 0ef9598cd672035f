import { LogError, type LogErrorCode } from "../../log/errors.ts";

/** Every code an answer can carry, its status, and what to do about it. */
const table = {
  bad_request: [400, "Send a request as /docs describes it."],
  invalid_parameter: [400, "See /docs for what the parameter may be."],
  invalid_cursor: [400, "Pass the last sequence you saw, -1 or nothing for the start; never a guess."],
  invalid_json: [400, "Send one JSON object in UTF-8."],
  invalid_body: [400, "See /openapi.json for the shape of the body."],
  reserved_type: [400, "Choose a dotted type of your own, such as acme.deployed, or leave it out for external.event."],
  unauthorized: [
    401,
    "Send `Authorization: Bearer <token>`, or run `spoor login` and open its one-time link in a browser.",
  ],
  forbidden_host: [403, "Use the address the server is bound to, or name this one with `spoor serve --allow-host`."],
  forbidden_origin: [
    403,
    "Only the server's own page may call it from a browser; elsewhere leave out Origin and Sec-Fetch-Site.",
  ],
  login_code_used: [403, "Run `spoor login` for a new link; each works once, for 15 minutes."],
  not_found: [404, "GET /docs lists what there is."],
  run_not_found: [404, "GET /v1/runs lists the runs."],
  task_not_found: [404, "GET /v1/tasks lists the tasks."],
  method_not_allowed: [405, "The Allow header lists what is allowed."],
  request_timeout: [408, "Send the whole request within half a minute."],
  fenced: [409, "Another process took over as the producer of this run; stop writing to it."],
  run_exists: [409, "Choose another run id."],
  body_too_large: [413, "Send less at once; store what is large as an artifact."],
  unsupported_media_type: [415, "Send `Content-Type: application/json`."],
  key_reused: [422, "Send a new Idempotency-Key with every new event."],
  upgrade_required: [426, "Open a WebSocket here."],
  too_many_attempts: [429, "Wait a minute; the token stands in the data directory."],
  headers_too_large: [431, "Send fewer or shorter headers."],
  internal: [500, "This is our fault. Report it with the request id."],
  damaged: [500, "Run `spoor verify` to see what is damaged."],
  server_full: [503, "Try again in a moment, and close connections that you no longer use."],
  too_many_streams: [503, "Close streams you no longer read."],
  shutting_down: [503, "Try again once the server is back; nothing is lost."],
  log_unavailable: [
    503,
    "Look at the server's messages. After a failed write, see to the disk and start it again; what was committed is safe.",
  ],
  disk_full: [507, "Make room; `spoor prune` makes more, and needs a little itself. What was committed is safe."],
} as const satisfies Record<string, readonly [status: number, hint: string]>;

export type HttpErrorCode = keyof typeof table;
export const httpErrorCodes = Object.keys(table) as HttpErrorCode[];
export const hintOf = (code: HttpErrorCode): string => table[code][1];
export const statusOf = (code: HttpErrorCode): number => table[code][0];

export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly code: HttpErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: HttpErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.headers = headers;
  }
}

/** As it is sent. What we did not foresee is told to the operator only. */
export function errorBody(error: HttpError, request_id?: string) {
  const { code, message } = error;
  return { error: { code, message, hint: hintOf(code), ...(request_id && { request_id }) } };
}

export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof LogError) return new HttpError(ofLog[error.code], error.message);
  return new HttpError("internal", "Something went wrong that should not.");
}

const ofLog: Record<LogErrorCode, HttpErrorCode> = {
  fenced: "fenced",
  run_exists: "run_exists",
  bad_event: "invalid_body",
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
