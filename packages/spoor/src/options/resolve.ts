import { statSync } from "node:fs";
import path from "node:path";
import type { LaunchRequest, McpServer, RemoteMcpServer } from "../agents/machine.ts";
import { CapabilityError, type Problem, SpoorError, ValidationError } from "../failures/errors.ts";
import { readAttachments } from "./attachments.ts";
import { impossible } from "./fields.ts";
import { type Layer, mergeLayers } from "./merge.ts";
import type { RunOptions } from "./run-options.ts";
import { optionProblems, refusalOf } from "./validate.ts";

/** What a run is asked for, all said and checked. What is not for the agent is beside the request. */
export interface Resolved {
  agent: string;
  request: LaunchRequest;
  rest: Layer;
}

/** Checks what is wrong with the call itself, all at once. */
export function checkCall(call: unknown): asserts call is RunOptions {
  const problems = optionProblems(call, "run");
  if (problems.length > 0) throw new ValidationError(problems);
  const options = call as Record<string, unknown>;
  const refused = Object.keys(impossible).find((name) => options[name] !== undefined);
  if (refused !== undefined) throw new CapabilityError(String(options.agent ?? ""), refused, refusalOf(refused));
}

/** One request out of the layers of options, the nearest first. Reads what is attached. */
export function resolve(layers: readonly Layer[]): Resolved {
  const merged = mergeLayers(layers);
  const { agent, prompt: asked, attachments: given = [], mcpServers = [], approve: _, ...rest } = merged;
  if (agent === undefined) {
    throw new SpoorError("VALIDATION_ERROR", "agent is missing: say which, or set one in the configuration.");
  }
  const prompt = typeof asked === "string" ? asked : (asked ?? []).join("\n\n");
  const cwd = path.resolve(rest.cwd ?? process.cwd());
  const { attachments, problems } = readAttachments(given, cwd);
  const all = [...promptProblems(prompt), ...folderProblems(cwd), ...nameProblems(mcpServers), ...problems];
  if (all.length > 0) throw new ValidationError(all);
  const { model, systemPrompt, systemPromptMode, thinkingEffort, thinkingBudgetTokens, maxOutputTokens } = rest;
  const { resume, fork, noSession, maxTurns, skills } = rest;
  const request = {
    prompt,
    cwd,
    approve: approval(merged),
    ...{ model, systemPrompt, systemPromptMode, thinkingEffort, thinkingBudgetTokens, maxOutputTokens },
    ...{ resume, fork, noSession, maxTurns, skills },
    attachments: attachments.length > 0 ? attachments : undefined,
    mcpServers: nonEmpty(mcpServers.filter((server) => !isRemote(server)).map(withoutTransport)),
    remoteMcpServers: nonEmpty(mcpServers.filter(isRemote)),
  };
  return { agent, request: present(request), rest };
}

/** Somebody to ask is a reason to ask: `auto` then means that they decide. */
function approval({ approve, onApprovalRequest }: Layer): LaunchRequest["approve"] {
  if (approve === "deny") return "deny";
  return approve === "auto" && onApprovalRequest === undefined ? "auto" : "ask";
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
  return twice.map((name) => ({ field: "mcpServers", message: `Two MCP servers are named "${name}".` }));
}

type Server = McpServer | RemoteMcpServer;

const isRemote = (server: Server): server is RemoteMcpServer => "url" in server;

const withoutTransport = (server: Server): McpServer => {
  const { transport: _, ...rest } = server as McpServer & { transport?: string };
  return rest;
};

const nonEmpty = <T>(list: readonly T[]): readonly T[] | undefined => (list.length > 0 ? list : undefined);

/** Absent and undefined are the same to us, and not to the compiler. */
function present<T extends object>(value: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;
}
