import { readFileSync } from "node:fs";
import path from "node:path";
import type { McpServer } from "../../agents/machine.ts";
import { isObject } from "../../options/checks.ts";
import type { ApprovalMode, RunOptions } from "../../options/run-options.ts";
import { ExitError } from "../exit-error.ts";
import { visible } from "../visible.ts";

/** What `spoor run` was called with. */
export interface RunCommandOptions {
  json?: true;
  agentEvents?: true;
  promptFile?: string;
  result?: string;
  cwd: string;
  profile?: string;
  attach?: string[];
  queue?: string[];
  model?: string;
  effort?: string;
  system?: string;
  replaceSystem?: true;
  resume?: string;
  fork?: string;
  session: boolean;
  approve?: ApprovalMode;
  mcp?: string;
  maxTurns?: number;
  timeout?: number;
  inactivity?: number;
  retries?: number;
  stream?: "auto" | "true" | "false";
  dialect?: string;
  command?: string;
  env?: string[];
  cleanEnv?: true;
  debug?: true;
  record: boolean;
  tape: boolean;
  data?: string;
  task?: string;
  /** Seconds. */
  lockWait?: number;
  ifUnrecorded: "stop" | "continue";
  recordThinking?: true;
  recordToolInput?: true;
  maxRecorded?: number;
}

/** The same as options of a run. */
export function optionsOf(agent: string, prompt: string, options: RunCommandOptions): RunOptions {
  const { profile, model, resume, fork, approve, maxTurns, dialect, command, timeout, inactivity, retries } = options;
  const { stream, session, system, replaceSystem, attach, effort, mcp, env, cleanEnv } = options;
  return {
    agent,
    prompt,
    cwd: path.resolve(options.cwd),
    ...(profile !== undefined && { profile }),
    ...(approve !== undefined && { approve }),
    ...(stream !== undefined && { stream: stream === "auto" ? "auto" : stream === "true" }),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { thinkingEffort: effort as NonNullable<RunOptions["thinkingEffort"]> }),
    ...(system !== undefined && { systemPrompt: system }),
    ...(replaceSystem && { systemPromptMode: "replace" }),
    ...(attach && { attachments: attach.map((file) => ({ filePath: path.resolve(file) })) }),
    ...(resume !== undefined && { resume }),
    ...(fork !== undefined && { fork }),
    ...(!session && { noSession: true }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(mcp !== undefined && { mcpServers: readMcpServers(mcp) }),
    ...(timeout !== undefined && { timeout: timeout * 1000 }),
    ...(inactivity !== undefined && { inactivityTimeout: inactivity * 1000 }),
    ...(retries !== undefined && { retryPolicy: { maxAttempts: retries } }),
    ...(dialect !== undefined && { dialect }),
    ...(command !== undefined && { command: splitWords(command) }),
    ...(env && { passEnv: env }),
    ...(cleanEnv && { environmentMode: "clean" }),
  };
}

/** The file most agents keep their MCP servers in. */
function readMcpServers(file: string): NonNullable<RunOptions["mcpServers"]> {
  const { mcpServers } = readJson(file) as { mcpServers?: unknown };
  if (!isObject(mcpServers)) {
    throw new ExitError(2, `--mcp expects {"mcpServers": {"name": {"command": "…"}}} in ${visible(file)}.`);
  }
  return Object.entries(mcpServers).map(([name, server]) => {
    if (isObject(server)) return { ...withTransport(server), name } as McpServer;
    throw new ExitError(2, `--mcp expects an object for the server "${visible(name)}" in ${visible(file)}.`);
  });
}

/** What a file holds; something without fields where it is no object. */
function readJson(file: string): object {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isObject(value) ? value : {};
  } catch (error) {
    throw new ExitError(2, `--mcp cannot read MCP servers from ${visible(file)}: ${visible((error as Error).message)}`);
  }
}

/** There a server says `type`, and one by address may say nothing. */
function withTransport({ type, ...server }: Record<string, unknown>): object {
  if (server.url === undefined) return server;
  return { ...server, transport: type === "sse" ? "sse" : "streamable-http" };
}

/** Words of a command line: quotes keep spaces, nothing else is special. */
function splitWords(line: string): string[] {
  const pattern = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;
  if (line.replaceAll(pattern, "").trim() !== "") {
    throw new ExitError(2, `--command has a quote without an end: ${visible(line)}`);
  }
  const words = [...line.matchAll(pattern)].map(([word]) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ""),
  );
  if (!words[0]) throw new ExitError(2, '--command names no program. Example: --command "npx claude"');
  return words;
}
