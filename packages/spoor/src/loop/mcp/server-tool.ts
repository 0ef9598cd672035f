import { Type } from "@sinclair/typebox";
import type { LoopTool, ToolContext, ToolResult } from "../tools/tool.ts";
import type { Connection } from "./connection.ts";
import type { Definition } from "./definitions.ts";
import { mcpToolName } from "./names.ts";
import type { ServerTrust } from "./trust.ts";

export interface ServerToolOptions {
  server: string;
  definition: Definition;
  connection: Connection;
  trust: ServerTrust;
  /** Whether the user says that the tool only reads. */
  isReadOnly: boolean;
  /** Whether everything is approved without asking. */
  isAutomatic: boolean;
}

/** The server checks its input itself, so that no schema of a stranger is executed here. */
const anyInput = Type.Object({}, { additionalProperties: true });

/** Makes a tool of the loop from a tool of a server. */
export function serverTool(options: ServerToolOptions): LoopTool {
  const { server, definition, connection, trust, isReadOnly, isAutomatic } = options;
  const { tool, sha256 } = definition;
  const name = mcpToolName(server, tool);
  const shown = trust.differenceOf(definition)?.shown ?? definition;
  return {
    name,
    kind: "mcp",
    description: shown.description,
    input: anyInput,
    schema: shown.schema,
    effect: isReadOnly ? "read" : "effect",
    mcp: { server, tool },
    actions: (_, { root }) => [{ subject: "mcp", server, name: tool, cwd: root, agent: "loop", tool: name }],
    mustAsk: () => trust.differenceOf(definition)?.reason,
    async describe(input) {
      const difference = trust.differenceOf(definition);
      const summary = `Call ${tool} of the MCP server ${server}`;
      const detail = JSON.stringify(input, null, 2);
      if (!difference) return { summary, detail };
      return {
        summary: `${summary}, which has changed`,
        detail: `${detail}\n\n${difference.reason} Allowing the call approves the change.\n${lastLine(sha256)}`,
        diff: difference.diff,
      };
    },
    async run(input, context) {
      const difference = trust.differenceOf(definition);
      if (difference && !isAutomatic) {
        if (!(await isApproved(context, sha256))) return unapproved(difference.reason);
        trust.approve(definition);
      }
      return connection.call(tool, input, context);
    },
  };
}

/** The last line of a question about a changed tool. */
const lastLine = (sha256: string): string => `sha256 of the description: ${sha256}`;

/** Whether a person approved this call when they saw the description with this hash. */
async function isApproved({ log, run_id, callId }: ToolContext, sha256: string): Promise<boolean> {
  const where = { run_id, tool_call_id: callId, status: "approved" };
  const { rows } = await log.rows.list("approvals", { where });
  return rows.some(({ action }) => {
    const { detail } = JSON.parse(action ?? "{}") as { detail?: string };
    // What comes before is the input, which the model writes.
    return detail?.endsWith(`\n${lastLine(sha256)}`);
  });
}

function unapproved(reason: string): ToolResult {
  const error = `${reason} Nobody approved it in its present form, so the call was not made. Call it again to ask.`;
  return { output: "", summary: error, error, outcome: "blocked" };
}
