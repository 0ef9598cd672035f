import { readFileSync } from "node:fs";
import path from "node:path";
import type { McpServer } from "../../agents/machine.ts";
import type { ApprovalMode, RunOptions } from "../../mux/options/run-options.ts";
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
  try {
    const { mcpServers } = JSON.parse(readFileSync(file, "utf8"));
    return Object.entries(mcpServers as Record<string, object>).map(
      ([name, server]) => ({ ...withTransport(server), name }) as McpServer,
    );
  } catch (error) {
    throw new ExitError(2, `--mcp cannot read MCP servers from ${visible(file)}: ${visible((error as Error).message)}`);
  }
}

/** There a server says `type`, and one by address may say nothing. */
function withTransport({ type, ...server }: { type?: string; url?: string }): object {
  if (server.url === undefined) return server;
  return { ...server, transport: type === "sse" ? "sse" : "streamable-http" };
}

/** Words of a command line: quotes keep spaces, nothing else is special. */
const splitWords = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => double ?? single ?? bare ?? "");
