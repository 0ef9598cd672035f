import type { ErrorDetail, ErrorFields } from "./stream-event.ts";

/**
 * The errors of requests, which have no event in the log. Each code is stable, with the kind that Acolyte's clients know it
 * by, or one of our own.
 */
export const requestErrors = {
  E_ABORTED: { category: "request", kind: "aborted" },
  E_BAD_REQUEST: { category: "request", kind: "bad_request" },
  E_CONNECTION_CLOSED: { category: "request", kind: "connection_closed" },
  E_INTERNAL: { category: "server", kind: "internal" },
  E_QUEUE_FULL: { category: "server", kind: "queue_full", retryable: true },
  E_REFUSED: { category: "request", kind: "refused" },
  E_SHUTTING_DOWN: { category: "server", kind: "shutting_down", retryable: true },
  E_STREAM_CUT: { category: "server", kind: "stream_cut", retryable: true },
} as const satisfies Record<string, Omit<ErrorDetail, "code" | "source">>;

export type RequestErrorCode = keyof typeof requestErrors;

/** Why a chat cannot go on. */
export class ChatError extends Error {
  override readonly name = "ChatError";
  readonly code: RequestErrorCode;

  constructor(code: RequestErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The fields of an error that ends a request. `kind` says it more exactly than the code, such as `workspace_busy`. */
export function errorFields(code: RequestErrorCode, errorMessage: string, errorId: string, kind?: string): ErrorFields {
  const row: Omit<ErrorDetail, "code" | "source"> = requestErrors[code];
  return {
    errorMessage,
    errorId,
    errorCode: code,
    error: { code, source: "spoor", ...row, ...(kind !== undefined && { kind }) },
  };
}

/** The codes that Acolyte has its own word for. Every other code of a run is `E_` and our own code. */
const ownWords: Readonly<Record<string, string>> = {
  timeout: "E_TIMEOUT",
  inactivity_timeout: "E_TIMEOUT",
  budget_exceeded: "E_BUDGET_EXHAUSTED",
  unknown: "E_UNKNOWN",
};

/** The error of a run that failed or was cancelled. Its id is that of the event, so that it is found in the log. */
export function runError(event_id: string, kind: string, errorMessage: string, retryable?: boolean): ErrorFields {
  const code = ownWords[kind] ?? `E_${kind.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_")}`;
  return {
    errorMessage,
    errorId: `err_${event_id.replace(/^evt_/, "").toLowerCase()}`,
    errorCode: code,
    error: { code, category: "run", kind, source: "run", ...(retryable !== undefined && { retryable }) },
  };
}

/** How a call ended that did not return, by the type of the event. */
const toolErrors: Readonly<Record<string, readonly [code: string, kind: string]>> = {
  "tool.failed": ["E_TOOL_FAILED", "tool_failed"],
  "tool.cancelled": ["E_CANCELLED", "cancelled"],
  "tool.timed_out": ["E_TIMEOUT", "timeout"],
  "policy.tool_blocked": ["E_GUARD_BLOCKED", "guard_blocked"],
};

export function toolError(type: string, tool: string, errorMessage: string) {
  const [code, kind] = toolErrors[type] ?? ["E_TOOL_FAILED", "tool_failed"];
  return { errorMessage, errorCode: code, error: { code, category: "tool", kind, source: "tool", tool } as const };
}
