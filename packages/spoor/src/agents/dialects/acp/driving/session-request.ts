import { asObject, type Json } from "../../../kit/json-values.ts";
import type { LaunchRequest, McpServer, RemoteMcpServer } from "../../../machine.ts";

/**
 * The request that opens the session. `session/load` replays the history, so it is preferred to `session/resume`. An
 * unsupported method is requested anyway: the agent's error then tells the user.
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
