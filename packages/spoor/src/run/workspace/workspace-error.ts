import type { HostFailure } from "../../agents/host.ts";

/** Says why a request of the agent was not carried out; the driver puts it into the agent's dialect. */
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
