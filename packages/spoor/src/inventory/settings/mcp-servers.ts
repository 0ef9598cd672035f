import type { McpFacts, McpShape } from "../../agents/agent-about.ts";
import type { McpServer, RemoteMcpServer } from "../../agents/machine.ts";
import { CapabilityError, type Problem, ValidationError } from "../../failures/errors.ts";
import { isObject } from "./fields.ts";
import type { SettingsValues } from "./settings-format.ts";

/** An MCP server to write into an agent's settings. */
export type NewMcpServer = McpServer | RemoteMcpServer;

/** An MCP server in an agent's settings. Only the names of its variables and headers are returned: the values are often secrets. */
export interface ConfiguredMcpServer {
  name: string;
  transport: "stdio" | RemoteMcpServer["transport"] | "unknown";
  command?: string;
  args?: string[];
  url?: string;
  envKeys?: string[];
  headerKeys?: string[];
}

/** Converts a server to an entry in the agent's settings format. */
export function toEntry(agent: string, server: NewMcpServer, facts: McpFacts): SettingsValues {
  if ("url" in server) {
    const shape = facts[server.transport];
    if (!shape)
      throw new CapabilityError(
        agent,
        "mcp",
        `${agent} does not support MCP servers with the transport ${server.transport}.`,
      );
    return {
      ...shape.marks,
      [shape.url]: server.url,
      ...(server.headers && { [shape.headers]: server.headers }),
    };
  }
  const { command, args = [], env } = server;
  return { ...facts.stdio.marks, command, args: [...args], ...(env && { env }) };
}

/** Converts an entry of the agent's settings, which may have any shape, to a server. */
export function fromEntry(name: string, entry: unknown, facts: McpFacts): ConfiguredMcpServer {
  if (!isObject(entry)) return { name, transport: "unknown" };
  if (typeof entry.command === "string") {
    const args = Array.isArray(entry.args) ? entry.args.map(String) : undefined;
    return {
      name,
      transport: "stdio",
      command: entry.command,
      ...(args && { args }),
      ...(isObject(entry.env) && { envKeys: Object.keys(entry.env) }),
    };
  }
  for (const transport of ["streamable-http", "sse"] as const) {
    const shape = facts[transport];
    const url = shape && entry[shape.url];
    if (!shape || typeof url !== "string" || !hasMarks(entry, shape)) continue;
    const headers = entry[shape.headers];
    return { name, transport, url, ...(isObject(headers) && { headerKeys: Object.keys(headers) }) };
  }
  return { name, transport: "unknown", ...(typeof entry.url === "string" && { url: entry.url }) };
}

const hasMarks = (entry: SettingsValues, { marks = {} }: McpShape): boolean =>
  Object.entries(marks).every(([key, value]) => entry[key] === value);

/** Throws a `ValidationError` when the server is not valid. */
export function checkServer(server: NewMcpServer): void {
  const problem = problemOf(server);
  if (problem) throw new ValidationError([problem]);
}

function problemOf(server: NewMcpServer): Problem | undefined {
  const { name } = server;
  if (typeof name !== "string" || !/^[A-Za-z0-9_-]+$/.test(name)) {
    return {
      field: "name",
      message: `"${name}" is not a valid name for an MCP server. Use only letters, digits, _ and -.`,
    };
  }
  if ("url" in server) {
    const isWeb = ["http:", "https:"].includes(URL.parse(server.url)?.protocol ?? "");
    if (!isWeb)
      return {
        field: "url",
        message: `"${server.url}" is not a valid address. It must start with http:// or https://.`,
      };
    const hasTextHeaders = Object.values(server.headers ?? {}).every(isText);
    return hasTextHeaders ? undefined : { field: "headers", message: "The values of headers must be text." };
  }
  const { command, args = [], env = {} } = server;
  if (typeof command !== "string" || command === "") {
    return { field: "command", message: `The MCP server "${name}" needs a command.` };
  }
  if (!Array.isArray(args) || !args.every(isText)) return { field: "args", message: "args must be a list of text." };
  return Object.values(env).every(isText) ? undefined : { field: "env", message: "The values of env must be text." };
}

const isText = (value: unknown): boolean => typeof value === "string";
