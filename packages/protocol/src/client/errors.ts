import type { ErrorAnswer } from "../api/answers.ts";

/** What can go wrong on this side. Everything else is a code of the server's, passed on as it came. */
export const clientErrors = {
  network: { retryable: true, hint: "Is the server running, and is this its address?" },
  timeout: { retryable: true, hint: "The server or the way to it is slow, or gone." },
  closed: { retryable: true, hint: "The server or something on the way ended the connection." },
  broken_stream: { retryable: true, hint: "The server sent something else than the events that follow the cursor." },
  cursor_ahead: { retryable: false, hint: "The server's log ends before the cursor. Read again from the start." },
  frame_too_large: { retryable: false, hint: "Raise `maxFrameLength` if events of this size are meant." },
  bad_response: { retryable: false, hint: "Does the address belong to a Spoor server?" },
  bad_url: { retryable: false, hint: "Give the address with http:// or https:// before it." },
  bad_start: { retryable: false, hint: "Give `after`, `from` or `since`, not several of them." },
  bad_token: { retryable: false, hint: "`spoor serve` says which file holds the token." },
  unsupported_schema: { retryable: false, hint: "Update @spoor/protocol." },
} as const;

export type ClientErrorCode = keyof typeof clientErrors;

export interface ErrorDetails {
  retryable: boolean;
  hint?: string | undefined;
  status?: number;
  requestId?: string | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

export class SpoorClientError extends Error {
  override readonly name = "SpoorClientError";
  /** A `ClientErrorCode`, or a code of the server's. */
  readonly code: string;
  /** Whether the same request may succeed later, with nothing changed. */
  readonly retryable: boolean;
  readonly hint: string | undefined;
  /** HTTP status, when the server answered. */
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  /** How long the server asks to be left alone. */
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

/** What an `error` frame tells; the next connection may fare better. */
export function errorOfFrame(data: string): SpoorClientError {
  const told = readError(data);
  if (!told) return clientError("closed", `The server ended the stream: ${data.slice(0, 200)}`);
  return new SpoorClientError(told.code, told.message, {
    retryable: true,
    hint: told.hint,
    requestId: told.request_id,
  });
}

/** The error an answer of status 400 and above stands for, whoever wrote its body. */
export function errorOfAnswer(status: number, body: string, retryAfter: string | null): SpoorClientError {
  const told = readError(body);
  return new SpoorClientError(told?.code ?? `http_${status}`, told?.message ?? `The server answered ${status}.`, {
    status,
    retryable: status >= 500 || passing.has(status),
    hint: told?.hint,
    requestId: told?.request_id,
    retryAfterMs: /^\d+$/.test(retryAfter ?? "") ? Math.min(Number(retryAfter) * 1000, LONGEST_WAIT_MS) : undefined,
  });
}

/** A server that asks for a day is asked again before. */
const LONGEST_WAIT_MS = 300_000;

/** Request timeout, too early, too many requests. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

function readError(body: string): ErrorAnswer["error"] | undefined {
  try {
    const error = (JSON.parse(body) as Partial<ErrorAnswer> | null)?.error;
    return typeof error?.code === "string" && typeof error.message === "string" ? error : undefined;
  } catch {
    return undefined;
  }
}
