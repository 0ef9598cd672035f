import type { Row } from "../../log/tables.ts";

/**
 * Why an approval cannot be decided. `approval` is its record, with the winner if somebody decided it.
 *
 * @example
 * const isLate = (error: unknown) => error instanceof ApprovalError && error.code === "approval_resolved";
 */
export class ApprovalError extends Error {
  override readonly name = "ApprovalError";
  readonly code: ApprovalErrorCode;
  readonly hint: string;
  readonly approval: Row<"approvals"> | undefined;
  /** With `approval_gone`: the run that took over, if one did. */
  readonly successor: string | undefined;

  constructor(
    code: ApprovalErrorCode,
    message: string,
    { approval, successor }: { approval?: Row<"approvals">; successor?: string | undefined } = {},
  ) {
    super(message);
    this.code = code;
    this.hint = hints[code];
    this.approval = approval;
    this.successor = successor;
  }
}

const hints = {
  approval_not_found: "List the open ones with `spoor approvals`.",
  approval_resolved: "The first answer counts. The record says who gave it.",
  approval_gone: "Nothing waits for this answer any more. If another run took over, the agent asks there again.",
  action_changed: "Look at the request again: it is for another action than the one you saw.",
} as const;

/** What is wrong with an answer to an approval. */
export type ApprovalErrorCode = keyof typeof hints;
