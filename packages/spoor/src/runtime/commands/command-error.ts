/**
 * Why a command cannot be sent, or why the run refused it. `hint` says what to do.
 *
 * @example
 * const isOver = (error: unknown) => error instanceof CommandError && error.code === "run_over";
 */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly code: CommandErrorCode;
  readonly hint: string;

  constructor(code: CommandErrorCode, message: string) {
    super(message);
    this.code = code;
    this.hint = hints[code];
  }
}

const hints = {
  run_not_found: "List the runs with `spoor ls`.",
  run_over: "A run that is over takes no commands. `continue` goes on with its session in a new run.",
  not_running: "Wait until the run has started, or cancel it.",
  not_supported: "`spoor agents` says what each agent can do.",
  not_pending: "List what waits for an answer with `spoor approvals`.",
  paused: "`spoor unpause` lets the run go on.",
  not_paused: "Only a paused run can be unpaused.",
  invalid: "The message names the field and what it must be.",
  key_reused: "Choose another Idempotency-Key, or send the same request.",
} as const;

/** What is wrong with a command. */
export type CommandErrorCode = keyof typeof hints;

/** A refusal as the command's row stores it: the code and a sentence. */
export const refusalText = (code: CommandErrorCode, message: string): string => `${code}: ${message}`;

export function readRefusal(detail: string | null): CommandError {
  const [, code = "", message = ""] = /^([a-z_]+): (.*)$/s.exec(detail ?? "") ?? [];
  if (Object.hasOwn(hints, code)) return new CommandError(code as CommandErrorCode, message);
  return new CommandError("not_supported", detail ?? "The run refused the command.");
}
