import type { HostFailure } from "../../agents/host.ts";

/** Why something an agent wanted was not done; told to the agent as its wire words it. */
export class WorkspaceError extends Error {
  readonly reason: HostFailure["reason"];

  constructor(reason: HostFailure["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

export function failureOf(error: unknown): HostFailure {
  if (error instanceof WorkspaceError) return { reason: error.reason, message: error.message };
  return { reason: "failed", message: error instanceof Error ? error.message : String(error) };
}
