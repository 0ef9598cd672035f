import { asObject, type Json } from "../../../kit/json-values.ts";
import type { LaunchRequest, McpServer, RemoteMcpServer } from "../../../machine.ts";

/**
 * The request that opens the session. Loading tells how much the session holds, so it goes before resuming; what the
 * agent does not offer is asked for all the same, and its answer says so.
 */
export function opening(request: LaunchRequest, capabilities: Json): { method: string; params: object } {
  const { cwd, resume, fork, mcpServers = [], remoteMcpServers = [] } = request;
  const params = { cwd, mcpServers: [...mcpServers.map(started), ...remoteMcpServers.map(remote)] };
  if (fork !== undefined) return { method: "session/fork", params: { sessionId: fork, ...params } };
  if (resume === undefined) return { method: "session/new", params };
  const canResume = asObject(asObject(capabilities.sessionCapabilities)?.resume) !== undefined;
  const method = capabilities.loadSession !== true && canResume ? "session/resume" : "session/load";
  return { method, params: { sessionId: resume, ...params } };
}

const started = ({ name, command, args = [], env = {} }: McpServer) => ({ name, command, args, env: pairs(env) });

const remote = ({ name, transport, url, headers = {} }: RemoteMcpServer) => ({
  ...{ type: transport === "sse" ? "sse" : "http", name, url, headers: pairs(headers) },
});

const pairs = (record: Readonly<Record<string, string>>) =>
  Object.entries(record).map(([name, value]) => ({ name, value }));
