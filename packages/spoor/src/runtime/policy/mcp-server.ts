import type { McpServer, RemoteMcpServer } from "../../agents/machine.ts";
import { canonicalJson } from "../projections/action-hash.ts";
import { hashOf } from "./trust.ts";

/** An MCP server as a task names it. `$NAME` stands for a variable, so it holds no secret. */
export type GivenServer = McpServer | RemoteMcpServer;

/**
 * What a person approves of a server: the exact command with its variables, or the address with its headers. A command
 * counts only for one folder, because it may name files there.
 */
export function launchOf(server: GivenServer, folder: string): Record<string, unknown> {
  if ("url" in server) return { url: server.url, ...(server.headers && { headers: server.headers }) };
  const { command, args = [], env } = server;
  return { command: [command, ...args], ...(env && { env }), folder };
}

/** The SHA-256 of what a person approves. */
export const launchHash = (launch: Readonly<Record<string, unknown>>): string =>
  hashOf(Buffer.from(canonicalJson(launch)));

/** The lines that a person reads about a server, one for each thing that counts. */
export function launchLines(launch: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(launch).flatMap(([name, value]) => {
    if (typeof value === "string") return [`${name}: ${value}`];
    if (Array.isArray(value)) return [`${name}: ${value.map(quoted).join(" ")}`];
    return Object.entries(value as object).map(([key, each]) => `${name} ${key}: ${String(each)}`);
  });
}

const quoted = (word: unknown): string => {
  const text = String(word);
  return /^[\w@%+=:,./-]+$/.test(text) ? text : JSON.stringify(text);
};

/** The folder for which the approval of a command counts. Worktrees and clones of a repository count as the repository. */
export function serverFolder(
  workspace: { mode?: string; path?: string; repo?: string } | undefined,
  root: string,
): string {
  if (workspace?.mode === undefined || workspace.mode === "in_place") return root;
  return workspace.repo ?? workspace.path ?? root;
}
