import type { ErrorAnswer } from "../api/answers.ts";

/** The error codes of the client itself. All other codes come from the server and are passed on unchanged. */
export const clientErrors = {
  network: { retryable: true, hint: "Check that the server is running and that this is its address." },
  timeout: { retryable: true, hint: "The server or the network is slow or unreachable. Try again later." },
  closed: { retryable: true, hint: "The server or a proxy closed the connection. Try again." },
  broken_stream: {
    retryable: true,
    hint: "The server did not send the events that follow the cursor. Try again; `spoor verify` shows whether its log is damaged.",
  },
  cursor_ahead: { retryable: false, hint: "The server's log ends before the cursor. Read again from the start." },
  frame_too_large: { retryable: false, hint: "Increase `maxFrameLength` if you expect events of this size." },
  bad_response: { retryable: false, hint: "Check that the address belongs to a Spoor server." },
  bad_url: { retryable: false, hint: "Give an address that starts with http:// or https://." },
  bad_start: { retryable: false, hint: "Give only one of `after`, `from` and `since`." },
  bad_token: { retryable: false, hint: "`spoor serve` prints the name of the file that contains the token." },
  unsupported_schema: { retryable: false, hint: "Update @spoor/protocol." },
} as const;

/** A code of `clientErrors`. */
export type ClientErrorCode = keyof typeof clientErrors;

export interface ErrorDetails {
  retryable: boolean;
  hint?: string | undefined;
  status?: number;
  requestId?: string | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/**
 * Every failure of a client.
 *
 * @example
 * ```ts
 * import { createSpoorClient, SpoorClientError } from "@spoor/protocol/client";
 *
 * const client = createSpoorClient({ url: "http://127.0.0.1:8765" });
 * try {
 *   await client.runs.get("run_01J00000000000000000000000");
 * } catch (error) {
 *   if (error instanceof SpoorClientError) console.error(error.code, error.message, error.hint);
 * }
 * ```
 */
export class SpoorClientError extends Error {
  override readonly name = "SpoorClientError";
  /** A `ClientErrorCode`, or a code from the server. */
  readonly code: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly hint: string | undefined;
  /** The HTTP status, if the server answered. */
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  /** How long the server asks to wait before a retry. */
  readonly retryAfterMs: number | undefined;

  constructor(code: string, message: string, { cause, ...details }: ErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryable = details.retryable;
    this.hint = details.hint;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
  }
}

export const clientError = (code: ClientErrorCode, message: string, cause?: unknown): SpoorClientError =>
  new SpoorClientError(code, message, { ...clientErrors[code], cause });

/** Makes the error of an `error` frame. It is retryable, because the next connection may succeed. */
export function errorOfFrame(data: string): SpoorClientError {
  const answer = readError(data);
  if (!answer) return clientError("closed", `The server ended the stream: ${data.slice(0, 200)}`);
  return new SpoorClientError(answer.code, answer.message, {
    retryable: true,
    hint: answer.hint,
    requestId: answer.request_id,
  });
}

/** Makes the error of a response with status 400 or above. The body may come from a proxy and have any content. */
export function errorOfAnswer(status: number, body: string, retryAfter: string | null): SpoorClientError {
  const answer = readError(body);
  return new SpoorClientError(answer?.code ?? `http_${status}`, answer?.message ?? `The server answered ${status}.`, {
    status,
    retryable: status >= 500 || transient.has(status),
    hint: answer?.hint,
    requestId: answer?.request_id,
    retryAfterMs: /^\d+$/.test(retryAfter ?? "") ? Math.min(Number(retryAfter) * 1000, LONGEST_WAIT_MS) : undefined,
  });
}

/** A longer `Retry-After` is cut to this. */
const LONGEST_WAIT_MS = 300_000;

/** Request timeout, too early, too many requests. */
const transient: ReadonlySet<number> = new Set([408, 425, 429]);

function readError(body: string): ErrorAnswer["error"] | undefined {
  try {
    const error = (JSON.parse(body) as Partial<ErrorAnswer> | null)?.error;
    return typeof error?.code === "string" && typeof error.message === "string" ? error : undefined;
  } catch {
    return undefined;
  }
}
