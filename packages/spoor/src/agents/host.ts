import type { Signal } from "./signal.ts";

/** An action that the agent asks us to do in its workspace. `reply` makes the frames that report the outcome. */
export interface HostRequest {
  action: HostAction;
  /** The agent asked permission for this action and received it. */
  isPermitted: boolean;
  reply(outcome: HostOutcome): string[];
}

/** What an agent asks its host to do. */
export type HostAction =
  | { do: "read"; path: string; line?: number; limit?: number }
  | { do: "write"; path: string; content: string }
  | { do: "run"; command: string; args: string[]; env: Record<string, string>; cwd?: string; byteLimit?: number }
  | { do: "output" | "wait" | "kill" | "release"; terminal: string };

/** The fields that are set depend on the action. */
export type HostOutcome =
  | { content?: string; terminal?: string; output?: string; isTruncated?: boolean; exit?: HostExit }
  | { failure: HostFailure };

/** How a command that the host ran has ended. */
export interface HostExit {
  code: number | null;
  signal: string | null;
}

/** Why the host did not do what the agent asked. */
export interface HostFailure {
  reason: "invalid" | "missing" | "refused" | "cancelled" | "failed";
  message: string;
}

/**
 * Something we did for the agent, or signals about it, that no line to or from the agent reports. Tapes store these
 * objects, so the names of their fields are fixed.
 */
export type HostNote = { hosted: HostFact } | { told: readonly Signal[] };

/** A terminal is a command that we run for the agent, under an id that we assigned. */
export type HostFact =
  | { kind: "wrote"; path: string; existed: boolean; before?: string }
  | { kind: "printed"; terminal: string; stream: "stdout" | "stderr"; text: string }
  | { kind: "exited"; terminal: string; exitCode: number };
