import type { McpServer } from "@agentclientprotocol/sdk";
import { specProblems } from "../../runtime/specification/spec.ts";
import type { OfferedAgent } from "./offered-agents.ts";

/** The MCP servers of an editor as an agent can be given them, and why others are left out. */
export interface GivenServers {
  servers: readonly Readonly<Record<string, unknown>>[];
  leftOut: readonly string[];
}

/**
 * Chooses the servers that an agent takes. What a run is asked for is stored, so a server whose settings hold a secret is left
 * out: it must be named by a variable (`$NAME`).
 */
export function serversFor(agent: OfferedAgent, given: readonly McpServer[]): GivenServers {
  const servers: Readonly<Record<string, unknown>>[] = [];
  const leftOut: string[] = [];
  for (const server of given) {
    const isRemote = "url" in server;
    const spec = specOf(server);
    const [problem] = specProblems({ agent: agent.name, prompt: "-", mcp_servers: [spec] });
    if (!(isRemote ? agent.takesRemoteServers : agent.takesServers))
      leftOut.push(`${server.name}: ${agent.title} takes no ${isRemote ? "remote " : ""}MCP servers from Spoor.`);
    else if (problem) leftOut.push(`${server.name}: ${problem.message}`);
    else servers.push(spec);
  }
  return { servers, leftOut };
}

function specOf(server: McpServer): Readonly<Record<string, unknown>> {
  const name = server.name.replaceAll(/[^A-Za-z0-9_-]/g, "_");
  if ("url" in server) {
    const transport = server.type === "sse" ? "sse" : "streamable-http";
    return { name, transport, url: server.url, headers: pairs(server.headers ?? []) };
  }
  if (!("command" in server)) return { name };
  return { name, command: server.command, args: server.args ?? [], env: pairs(server.env ?? []) };
}

const pairs = (list: readonly { name: string; value: string }[]): Record<string, string> =>
  Object.fromEntries(list.map(({ name, value }) => [name, value]));
