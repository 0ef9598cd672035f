import type { LaunchRequest, RemoteMcpServer } from "../../machine.ts";

/** MCP servers as an argument; what a server by address looks like differs between the agents that take them so. */
export function mcpConfig(
  { mcpServers = [], remoteMcpServers = [] }: LaunchRequest,
  remote: (server: RemoteMcpServer) => object,
): string[] {
  if (mcpServers.length + remoteMcpServers.length === 0) return [];
  const servers = [
    ...mcpServers.map(({ name, ...server }) => [name, server]),
    ...remoteMcpServers.map(({ name, headers, ...server }) => [
      name,
      { ...remote({ name, ...server }), ...(headers && { headers }) },
    ]),
  ];
  return ["--mcp-config", JSON.stringify({ mcpServers: Object.fromEntries(servers) })];
}
