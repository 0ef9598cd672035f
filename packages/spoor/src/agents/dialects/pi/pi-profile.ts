import type { ToolKinds } from "../../kit/tool-calls.ts";

/** The differences between agents that speak this dialect. */
export interface PiProfile {
  /** Tool kinds by name; a tool that is not listed is `other`. */
  tools: ToolKinds;
  /** Matches names of MCP tools, with the groups `server` and `tool`. */
  mcpName?: RegExp;
  /** Matches the remarks that a shell tool adds after the output of its command. */
  commandRemarks: RegExp;
  /** Tells the user how to log in. */
  loginGuidance: string;
}
