import { readFileSync } from "node:fs";
import { isObject } from "../../options/checks.ts";
import { ExitError } from "../exit-error.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

/** Reads MCP servers from a JSON file of the form that most agents use. */
export function readMcpServers(file: string, flag: string): object[] {
  const { mcpServers } = readJson(file, flag);
  if (!isObject(mcpServers)) {
    throw new ExitError(2, `${flag} expects {"mcpServers": {"name": {"command": "…"}}} in ${terminalSafe(file)}.`);
  }
  return Object.entries(mcpServers).map(([name, server]) => {
    if (isObject(server)) return { ...withTransport(server), name };
    throw new ExitError(
      2,
      `${flag} expects an object for the server "${terminalSafe(name)}" in ${terminalSafe(file)}.`,
    );
  });
}

function readJson(file: string, flag: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isObject(value) ? value : {};
  } catch (error) {
    throw new ExitError(
      2,
      `${flag} cannot read MCP servers from ${terminalSafe(file)}: ${terminalSafe((error as Error).message)}`,
    );
  }
}

/** These files name the transport `type`, and a server with a `url` may leave it out. */
function withTransport({ type, ...server }: Record<string, unknown>): object {
  if (server.url === undefined) return server;
  return { ...server, transport: type === "sse" ? "sse" : "streamable-http" };
}
