import { instant } from "@spoor/protocol/write";
import { actionHash } from "./action-hash.ts";

/** How long a request waits for an answer, and what happens then. */
export interface ApprovalTerms {
  /** The working directory of the run. */
  cwd?: string | undefined;
  expiresInMs: number;
  /** The run itself may take no longer than this. */
  latest?: number | undefined;
  defaultAction?: "reject" | "cancel_run" | "approve";
}

/** Why a rule asks. */
export interface AskingRule {
  rule?: string;
  policy_id?: string;
  policy_reason?: string;
}

/** An answer may take this long if a person is at the terminal, and this long if nobody is. */
export const INTERACTIVE_MS = 3_600_000;
export const HEADLESS_MS = 600_000;

/**
 * Completes the data of `approval.requested`, so that it tells everything that is known of the request: the exact action
 * with its hash, the folder, the rule, the deadline and the default. `data` is what will be stored, with secrets replaced.
 */
export function requestData(
  data: Record<string, unknown>,
  { cwd, expiresInMs, latest = Number.POSITIVE_INFINITY, defaultAction = "reject" }: ApprovalTerms,
  rule: AskingRule,
  at: number,
): Record<string, unknown> {
  const { tool_name: tool, input, detail, diff } = data;
  const { cwd: own } = (input ?? {}) as { cwd?: unknown };
  const folder = typeof own === "string" && own.startsWith("/") ? own : cwd;
  return {
    ...data,
    ...rule,
    ...(folder !== undefined && { cwd: folder }),
    action_hash: actionHash({ tool, input, cwd: folder, detail, diff }),
    expires_at: instant(Math.min(at + expiresInMs, latest)),
    default_action: defaultAction,
  };
}
