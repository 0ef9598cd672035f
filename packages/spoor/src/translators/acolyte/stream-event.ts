/** What an error is about. The codes are stable: `docs/acolyte.md` lists them. */
export interface ErrorDetail {
  code: string;
  /** Where it comes from: the request, the server, the run or a tool. */
  category: "request" | "server" | "run" | "tool";
  kind: string;
  source: string;
  tool?: string;
  retryable?: boolean;
}

/** The fields of every error, in messages and in events. */
export interface ErrorFields {
  errorMessage: string;
  errorId: string;
  errorCode: string;
  error: ErrorDetail;
}

export interface ChecklistItem {
  id: string;
  label: string;
  status: "pending" | "in_progress" | "done" | "failed";
  order: number;
}

/** A piece of what a tool did. Acolyte's own clients know these kinds. */
export type ToolOutput =
  | { kind: "text"; text: string }
  | { kind: "shell-output"; stream: "stdout" | "stderr"; text: string }
  | { kind: "edit-header"; labelKey: string; path: string; files: number; added: number; removed: number }
  | { kind: "diff"; marker: "add" | "remove" | "context"; lineNumber: number; text: string }
  | { kind: "no-output" };

/** What a chat waits for, and how it is answered. Acolyte has no message for it, so it is a field of `status`. */
export interface Waiting {
  id: string;
  status: "pending" | "approved" | "rejected" | "timed_out";
  toolCallId?: string | undefined;
  summary?: string | undefined;
  /** The HTTP request that answers it. */
  answer?: { method: "POST"; path: string; body: Readonly<Record<string, string>> };
}

/** An event of Acolyte's stream. */
export type StreamEvent =
  | {
      type: "status";
      state: { kind: "queued" | "accepted" | "running"; position?: number };
      message?: string;
      approval?: Waiting;
      question?: Waiting;
      /** An event that Acolyte has no word for, as the log holds it. */
      event?: unknown;
      taskId?: string;
      sessionId?: string;
      runId?: string;
    }
  | { type: "reasoning"; text: string }
  | { type: "text-delta"; text: string }
  | { type: "tool-call"; toolCallId: string; toolName: string; args: Readonly<Record<string, unknown>> }
  | { type: "tool-output"; toolCallId: string; toolName: string; content: ToolOutput }
  | ({ type: "tool-result"; toolCallId: string; toolName: string; isError?: true } & Partial<
      Pick<ErrorFields, "errorMessage" | "errorCode" | "error">
    >)
  | { type: "usage"; inputTokens: number; outputTokens: number }
  | { type: "checklist"; groupId: string; groupTitle: string; items: ChecklistItem[] }
  | ({ type: "error" } & ErrorFields);
