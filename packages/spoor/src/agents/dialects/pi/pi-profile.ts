import type { ToolKinds } from "../../kit/tool-calls.ts";

/** In what agents that speak this wire differ. */
export interface PiProfile {
  /** What each tool does; one not listed is `other`. */
  tools: ToolKinds;
  /** Names of MCP tools, with groups `server` and `tool`. */
  mcpName?: RegExp;
  /** All that a shell tool says below the output of its command, to the end of the text. */
  shellRemarks: RegExp;
  /** What to do when the model's service does not let the agent in. */
  loginGuidance: string;
}
