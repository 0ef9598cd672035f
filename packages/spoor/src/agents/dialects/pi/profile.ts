import type { ToolKind } from "@spoor/protocol";

/** In what agents that speak this wire differ. */
export interface PiProfile {
  /** What each tool does; one not listed is `other`. */
  tools: Readonly<Record<string, ToolKind>>;
  /** Names of MCP tools, with groups `server` and `tool`. */
  mcpName?: RegExp;
  /** Words that a shell tool puts below the output of its command, at the end of the text, one at a time. */
  shellRemark: RegExp;
  /** What to do when the model's service does not let the agent in. */
  loginGuidance: string;
}
