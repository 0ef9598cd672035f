import type { AgentContext } from "@agentclientprotocol/sdk";
import type { Log } from "../../log/log.ts";
import type { Conversations } from "../conversation/conversations.ts";

/** The editor at the other end, and what answers it. */
export interface Editor {
  readonly client: AgentContext;
  /** Whether the editor shows forms. */
  readonly canAsk: boolean;
  /** Aborts when the editor is gone. */
  readonly gone: AbortSignal;
  readonly log: Log;
  readonly directory: string;
  readonly conversations: Conversations;
  /** Writes a line for people who look for the cause of a problem. It never reaches the editor's stream. */
  note(line: string): void;
}
