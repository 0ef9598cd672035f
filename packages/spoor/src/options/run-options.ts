import type { McpServer, RemoteMcpServer } from "../agents/machine.ts";
import type { Callbacks } from "./callbacks.ts";
import type { RetryPolicy } from "./retry-policy.ts";

/** What can be asked of a run. `undefined` is the same as leaving it out. What an agent cannot do is refused at once. */
export interface RunOptions extends Callbacks {
  /** Needed, unless the client, the profile or the configuration names one. */
  agent?: string;
  /** Several are joined by an empty line. */
  prompt: string | readonly string[];
  /** A profile whose options stand where these say nothing. */
  profile?: string;
  systemPrompt?: string;
  /** Whether it comes after the agent's own system prompt (the default) or in its place. */
  systemPromptMode?: "append" | "replace";
  attachments?: readonly AttachmentOption[];
  model?: string;
  thinkingEffort?: "low" | "medium" | "high" | "max";
  thinkingBudgetTokens?: number;
  maxOutputTokens?: number;
  /** Go on with this session, or with a copy of it; or keep none. One of the three. */
  resume?: string;
  fork?: string;
  noSession?: boolean;
  /** Other names of `resume` and `fork`. */
  sessionId?: string;
  forkSessionId?: string;
  /** `true` refuses wires that give text in one piece, `false` has it in one piece from all. */
  stream?: "auto" | boolean;
  cwd?: string;
  /** Variables the agent gets, whatever the environment says. */
  env?: Readonly<Record<string, string>>;
  /** Names of environment variables to let through to it that it would not get otherwise. */
  passEnv?: readonly string[];
  /**
   * `inherit` (the default) passes `environment` on as a shell would, less Spoor's own variables and the marks of an outer
   * agent. `clean` passes on only what programs need to run, what the agent is known to need, and what `passEnv` names.
   */
  environmentMode?: "inherit" | "clean";
  /** Where its environment is taken from; `process.env` when absent. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds for the whole run, and without any output; 0 is no limit. A retry has as long again. */
  timeout?: number;
  inactivityTimeout?: number;
  /** Milliseconds from asking the process to end to ending it. */
  gracePeriodMs?: number;
  maxTurns?: number;
  /** What to do about actions that need permission. With `onApprovalRequest`, `auto` asks that instead of nobody. */
  approve?: ApprovalMode;
  /** Another name of `approve`. */
  approvalMode?: ApprovalMode;
  skills?: readonly string[];
  mcpServers?: readonly (McpServer | RemoteMcpServer)[];
  /** When a failed run is tried again, within the same stream. Absent: never. */
  retryPolicy?: Partial<RetryPolicy>;
  /** A ULID. */
  runId?: string;
  /** Kept with the result, for whoever reads it. */
  tags?: readonly string[];
  collectEvents?: boolean;
  /** Name of the wire; the agent's best one for what is asked when absent. */
  dialect?: string;
  /** The program and what comes before its arguments, when it is not on the PATH under its own name. */
  command?: string | readonly string[];
}

/** `yolo` and `prompt` are other words for `auto` and `ask`. */
export type ApprovalMode = "ask" | "auto" | "deny" | "prompt" | "yolo";

/** A file, an address, or the bytes themselves. */
export type AttachmentOption = { mimeType?: string; name?: string } & (
  | { filePath: string }
  | { url: string }
  | { base64: string; mimeType: string }
);
