import type { Signal } from "./signal.ts";

/** Something the agent wants us to do in its workspace. Whatever comes of it, `reply` makes the frames that say so. */
export interface HostRequest {
  action: HostAction;
  /** The agent asked permission for this, and has it. */
  isPermitted: boolean;
  reply(outcome: HostOutcome): string[];
}

export type HostAction =
  | { do: "read"; path: string; line?: number; limit?: number }
  | { do: "write"; path: string; content: string }
  | { do: "run"; command: string; args: string[]; env: Record<string, string>; cwd?: string; byteLimit?: number }
  | { do: "output" | "wait" | "kill" | "release"; terminal: string };

/** Fields are of the action that was done. */
export type HostOutcome =
  | { content?: string; terminal?: string; output?: string; isTruncated?: boolean; exit?: HostExit }
  | { failure: HostFailure };

export interface HostExit {
  code: number | null;
  signal: string | null;
}

export interface HostFailure {
  reason: "invalid" | "missing" | "refused" | "cancelled" | "failed";
  message: string;
}

/** What was done for the agent, or said of that, which no line of the agent's or to it tells. */
export type HostNote = { hosted: HostFact } | { told: readonly Signal[] };

/** A terminal is a command we run for the agent, under an id we gave it. */
export type HostFact =
  | { kind: "wrote"; path: string; existed: boolean; before?: string }
  | { kind: "printed"; terminal: string; stream: "stdout" | "stderr"; text: string }
  | { kind: "exited"; terminal: string; exitCode: number };
