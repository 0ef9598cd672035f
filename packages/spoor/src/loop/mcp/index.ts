import type { GivenServer } from "../../runtime/policy/mcp-server.ts";
import type { TaskSpec } from "../../runtime/specification/spec.ts";
import type { LoopTool } from "../tools/tool.ts";
import { MAX_SERVERS, MAX_TOOLS } from "./limits.ts";
import { type McpPlace, Server, unavailable } from "./server.ts";

export { mcpToolName } from "./names.ts";
export type { McpPlace } from "./server.ts";

/** The MCP servers of a run. */
export interface McpConnections {
  /** The tools that the servers offer now. A server may change them, or end. */
  tools(): readonly LoopTool[];
  /** Resolves when all servers are disconnected, and their processes are gone. */
  close(): Promise<void>;
}

/**
 * Connects the MCP servers of a task. A server that nobody approved, that cannot be started or that does not answer is told
 * as `error.tool_unavailable`, and the run goes on without it: this never rejects because of a server.
 */
export async function connectMcp(spec: TaskSpec, place: McpPlace): Promise<McpConnections> {
  const given = (spec.mcp_servers ?? []) as readonly GivenServer[];
  const usable = given.filter(({ name }, index) => {
    const isTwice = given.findIndex((other) => other.name === name) < index;
    const reason = isTwice ? "Two servers have this name. Rename one." : `A run uses at most ${MAX_SERVERS} servers.`;
    if (isTwice || index >= MAX_SERVERS) place.tell({ events: [unavailable(name, reason)] });
    return !isTwice && index < MAX_SERVERS;
  });
  const servers = usable.map((server) => new Server(server, spec, place));
  await Promise.all(servers.map((server) => server.open()));
  const told = new Set<string>();
  const warn = (message: string): void => {
    if (told.has(message)) return;
    told.add(message);
    place.tell({ signals: [{ kind: "note", level: "warn", message }] });
  };
  return {
    tools: () =>
      chooseTools(
        servers.flatMap((server) => server.tools()),
        place.ownTools,
        warn,
      ),
    close: async () => void (await Promise.all(servers.map((server) => server.close()))),
  };
}

/** No tool takes the name of another one: the first keeps it, and the loop's own come first. */
function chooseTools(
  offered: readonly LoopTool[],
  ownTools: ReadonlySet<string>,
  warn: (message: string) => void,
): LoopTool[] {
  const chosen = new Map<string, LoopTool>();
  for (const tool of offered) {
    const holder = ownTools.has(tool.name) ? "the loop itself" : chosen.get(tool.name)?.mcp?.server;
    const { server, tool: name } = tool.mcp ?? { server: "", tool: tool.name };
    if (holder !== undefined)
      warn(
        `The tool ${name} of the MCP server ${server} is left out, because ${holder} has a tool named ${tool.name}.`,
      );
    else chosen.set(tool.name, tool);
  }
  if (chosen.size > MAX_TOOLS)
    warn(
      `The MCP servers offer more than ${MAX_TOOLS} tools. The model gets the first ${MAX_TOOLS}; use fewer servers.`,
    );
  return [...chosen.values()].slice(0, MAX_TOOLS);
}
