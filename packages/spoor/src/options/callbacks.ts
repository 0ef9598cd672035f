import type { RunOptions } from "./run-options.gen.ts";

export type { ApprovalAnswer } from "./option-values.ts";

/** The options by which a program answers the agent's questions itself. */
export type Callbacks = Pick<RunOptions, "onApprovalRequest" | "onInputRequired">;
