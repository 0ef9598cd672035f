import type { McpFacts, McpShape } from "../../agents/agent-about.ts";
import type { McpServer, RemoteMcpServer } from "../../agents/machine.ts";
import { CapabilityError, type Problem, ValidationError } from "../../failures/errors.ts";
import { isObject } from "./fields.ts";
import type { SettingsValues } from "./formats.ts";

/** An MCP server to write into an agent's settings. */
export type NewMcpServer = McpServer | RemoteMcpServer;

/** One that is there. Of its environment and headers only the names are told: the values are often secrets. */
export interface ConfiguredMcpServer {
  name: string;
  transport: "stdio" | RemoteMcpServer["transport"] | "unknown";
  command?: string;
  args?: string[];
  url?: string;
  envKeys?: string[];
  headerKeys?: string[];
}

/** A server as the agent writes it. */
export function toEntry(agent: string, server: NewMcpServer, facts: McpFacts): SettingsValues {
  if ("url" in server) {
    const shape = facts[server.transport];
    if (!shape) throw new CapabilityError(agent, "mcp", `${agent} reaches no MCP servers by ${server.transport}.`);
    return {
      ...shape.marks,
      [shape.url]: server.url,
      ...(server.headers && { [shape.headers]: server.headers }),
    };
  }
  const { command, args = [], env } = server;
  return { ...facts.stdio.marks, command, args: [...args], ...(env && { env }) };
}

/** The other way round, of whatever stands there. */
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

/** Throws what is wrong with a server before anything is written. */
export function checkServer(server: NewMcpServer): void {
  const problem = problemOf(server);
  if (problem) throw new ValidationError([problem]);
}

function problemOf(server: NewMcpServer): Problem | undefined {
  const { name } = server;
  if (typeof name !== "string" || !/^[A-Za-z0-9_-]+$/.test(name)) {
    return { field: "name", message: `"${name}" is no name for an MCP server: letters, digits, _ and - only.` };
  }
  if ("url" in server) {
    const isWeb = ["http:", "https:"].includes(URL.parse(server.url)?.protocol ?? "");
    if (!isWeb) return { field: "url", message: `"${server.url}" is no http address.` };
    const isTold = Object.values(server.headers ?? {}).every(isText);
    return isTold ? undefined : { field: "headers", message: "headers must hold text." };
  }
  const { command, args = [], env = {} } = server;
  if (typeof command !== "string" || command === "") {
    return { field: "command", message: `The MCP server "${name}" needs a command.` };
  }
  if (!Array.isArray(args) || !args.every(isText)) return { field: "args", message: "args must be a list of text." };
  return Object.values(env).every(isText) ? undefined : { field: "env", message: "env must hold text." };
}

const isText = (value: unknown): boolean => typeof value === "string";
