import type { Refusal } from "../lifecycle/status.ts";

/** Why a request about a task or a run was refused. */
export type TaskErrorCode =
  | Refusal
  | "invalid"
  | "not_available"
  | "not_supported"
  | "model_not_configured"
  | "policy_blocked"
  | "key_reused"
  | "task_not_found"
  | "run_not_found";

/**
 * Thrown when a task or a run cannot do what was asked. `conflict` is what stood in the way, such as the active run.
 *
 * @example
 * const isBusy = (error: unknown) => error instanceof TaskError && error.code === "run_active";
 */
export class TaskError extends Error {
  override readonly name = "TaskError";
  readonly code: TaskErrorCode;
  readonly conflict: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: TaskErrorCode,
    message: string,
    conflict?: Readonly<Record<string, unknown>>,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = code;
    this.conflict = conflict;
  }
}
