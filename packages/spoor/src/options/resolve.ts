import { statSync } from "node:fs";
import path from "node:path";
import type { AgentOptions } from "../agents/agent-options.gen.ts";
import type { LaunchRequest, McpServer, RemoteMcpServer } from "../agents/machine.ts";
import { CapabilityError, type Problem, SpoorError, ValidationError } from "../failures/errors.ts";
import { readAttachments } from "./attachments.ts";
import { mergeLayers, type OptionLayer } from "./merge.ts";
import type { RunOptions } from "./run-options.gen.ts";
import { optionRows } from "./run-options.ts";
import { isUnsupported, unsupportedMessage } from "./unsupported-options.ts";
import { optionProblems } from "./validate.ts";

/** A checked run: the request to the agent, and all merged options for the rest of Spoor. */
export interface Resolved {
  agent: string;
  request: LaunchRequest;
  options: OptionLayer;
}

/** Throws one error that lists everything that is wrong with the options of a call. */
export function checkCall(call: unknown): asserts call is RunOptions {
  const problems = optionProblems(call, "run");
  if (problems.length > 0) throw new ValidationError(problems);
  const options = call as Record<string, unknown>;
  const refused = Object.keys(options).find((name) => isUnsupported(name) && options[name] !== undefined);
  if (refused !== undefined) {
    throw new CapabilityError(String(options.agent ?? ""), refused, unsupportedMessage(refused));
  }
}

/** Merges layers of options, from nearest to farthest, and builds the request to the agent. Reads the attached files. */
export function resolve(layers: readonly OptionLayer[]): Resolved {
  const options = mergeLayers(layers);
  const { agent, attachments: attachmentOptions = [], mcpServers = [] } = options;
  if (agent === undefined) {
    throw new SpoorError(
      "VALIDATION_ERROR",
      "agent is missing: name the agent to run, or set one in a configuration file.",
    );
  }
  const prompt = typeof options.prompt === "string" ? options.prompt : (options.prompt ?? []).join("\n\n");
  const cwd = path.resolve(options.cwd ?? process.cwd());
  const { attachments, problems } = readAttachments(attachmentOptions, cwd);
  const all = [...promptProblems(prompt), ...folderProblems(cwd), ...nameProblems(mcpServers), ...problems];
  if (all.length > 0) throw new ValidationError(all);
  const local = mcpServers
    .filter((server) => !isRemote(server))
    .map(withoutTransport)
    .map(withoutLimits);
  const remote = mcpServers.filter(isRemote).map(withoutLimits);
  const request = {
    prompt,
    cwd,
    approve: approval(options),
    ...optionsForAgent(options),
    ...(attachments.length > 0 && { attachments }),
    ...(local.length > 0 && { mcpServers: local }),
    ...(remote.length > 0 && { remoteMcpServers: remote }),
  };
  return { agent, request, options };
}

/** With an approval callback, `auto` becomes `ask`, so that the callback decides. */
function approval({ approve, onApprovalRequest }: OptionLayer): LaunchRequest["approve"] {
  if (approve === "deny") return "deny";
  return approve === "auto" && onApprovalRequest === undefined ? "auto" : "ask";
}

function optionsForAgent(options: OptionLayer): AgentOptions {
  const names = optionRows.filter(([name, { toAgent }]) => toAgent && options[name] !== undefined);
  return Object.fromEntries(names.map(([name]) => [name, options[name]]));
}

const promptProblems = (prompt: string): Problem[] =>
  prompt.trim() === "" ? [{ field: "prompt", message: "The prompt is empty." }] : [];

function folderProblems(cwd: string): Problem[] {
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return [];
  return [{ field: "cwd", message: `cwd must be a folder that exists, not ${cwd}.` }];
}

function nameProblems(servers: readonly { name: string }[]): Problem[] {
  const names = servers.map(({ name }) => name);
  const twice = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  return twice.map((name) => ({ field: "mcpServers", message: `Two MCP servers are named "${name}". Rename one.` }));
}

type Server = McpServer | RemoteMcpServer;

const isRemote = (server: Server): server is RemoteMcpServer => "url" in server;

function withoutTransport(server: Server): McpServer {
  const { transport: _, ...rest } = server as McpServer & { transport?: string };
  return rest;
}

/** Only our own loop knows these. */
function withoutLimits<T extends Server>({ readonly: _, timeout: __, ...server }: T): Omit<T, "readonly" | "timeout"> {
  return server;
}
