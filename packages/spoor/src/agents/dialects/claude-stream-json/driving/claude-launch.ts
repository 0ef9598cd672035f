import type { McpFacts } from "../../../agent-about.ts";
import { omitUndefined } from "../../../kit/omit-undefined.ts";
import type { Ability, LaunchRequest, LiveDialect, RemoteMcpServer } from "../../../machine.ts";
import { createDriver, type DriverTraits } from "./claude-driver.ts";

/** How to run an agent of this dialect. An option without a flag is not supported. */
export interface ClaudeLaunch extends Pick<LiveDialect, "command" | "refuses" | "askWarning" | "deny">, DriverTraits {
  /** Arguments of every run. */
  readonly args: readonly string[];
  /** Arguments for each value of `--approve`. */
  readonly approveArguments: Readonly<Record<LaunchRequest["approve"], readonly string[]>>;
  readonly flags?: Readonly<Partial<Record<Flag, string>>>;
  /** The command that continues a session, if the agent has no flag for it. */
  readonly resumeCommand?: readonly string[];
  readonly maxOutputTokensVariable?: string;
  /** How to write remote MCP servers; local ones are the same for all agents. */
  readonly mcp?: McpFacts | undefined;
  readonly attachments?: readonly Ability[];
  /** Environment variables that are passed to the agent. */
  readonly allow: readonly string[];
}

/** The flags of Claude Code, which most other agents of this dialect share. */
export const commonFlags = {
  model: "--model",
  systemPrompt: "--append-system-prompt",
  systemPromptReplace: "--system-prompt",
  resume: "--resume",
  fork: "--fork-session",
} as const;

/** Runs the agent as a process that reads its standard input. */
export function createLive(launching: ClaudeLaunch): LiveDialect {
  const { command, refuses, askWarning, deny, allow } = launching;
  return {
    command,
    takes: abilitiesOf(launching),
    ...omitUndefined({ refuses, askWarning, deny }),
    launch: (request) => ({
      args: argsOf(request, launching),
      allow,
      set: variablesOf(request, launching),
      stdin: "pipe",
    }),
    createDriver: (request) => createDriver(request, launching),
  };
}

function abilitiesOf(launching: ClaudeLaunch): Ability[] {
  const { flags = {}, resumeCommand, maxOutputTokensVariable, mcp, attachments = [] } = launching;
  const abilities: Ability[] = flagNames.filter((name) => name !== "maxTurns").filter((name) => name in flags);
  if (resumeCommand) abilities.push("resume");
  if (maxOutputTokensVariable !== undefined) abilities.push("maxOutputTokens");
  if (mcp) abilities.push("mcpServers");
  if (mcp?.["streamable-http"]) abilities.push("remoteMcpServers");
  if (mcp?.sse) abilities.push("sseMcpServers");
  return [...abilities, ...attachments];
}

function variablesOf({ maxOutputTokens }: LaunchRequest, { maxOutputTokensVariable: name }: ClaudeLaunch) {
  return name === undefined || maxOutputTokens === undefined ? {} : { [name]: `${maxOutputTokens}` };
}

function argsOf(
  request: LaunchRequest,
  { args, approveArguments: approve, flags = {}, resumeCommand, mcp }: ClaudeLaunch,
): string[] {
  return [
    ...(resumeCommand && request.resume !== undefined ? [...resumeCommand, request.resume] : []),
    ...args,
    ...approve[request.approve],
    ...flagNames.flatMap((name) => argOf(flags[name], values[name](request))),
    ...(mcp ? mcpConfig(request, mcp) : []),
  ];
}

function argOf(flag: string | undefined, value: string | number | boolean | undefined): string[] {
  if (flag === undefined || value === undefined || value === false) return [];
  return value === true ? [flag] : [flag, `${value}`];
}

type Flag = Extract<Ability, keyof typeof commonFlags | "noSession" | "thinkingEffort"> | "maxTurns";

/** The value of each flag, in the order of the command line; `true` is a flag without a value. */
const values: Readonly<Record<Flag, (request: LaunchRequest) => string | number | boolean | undefined>> = {
  model: ({ model }) => model,
  systemPrompt: ({ systemPrompt, systemPromptMode }) => (systemPromptMode === "replace" ? undefined : systemPrompt),
  systemPromptReplace: ({ systemPrompt, systemPromptMode }) =>
    systemPromptMode === "replace" ? systemPrompt : undefined,
  resume: ({ resume, fork }) => fork ?? resume,
  fork: ({ fork }) => fork !== undefined,
  noSession: ({ noSession }) => noSession,
  maxTurns: ({ maxTurns }) => maxTurns,
  thinkingEffort: ({ thinkingEffort }) => thinkingEffort,
};

const flagNames = Object.keys(values) as Flag[];

function mcpConfig({ mcpServers = [], remoteMcpServers = [] }: LaunchRequest, mcp: McpFacts): string[] {
  const servers = [
    ...mcpServers.map(({ name, ...server }) => [name, server]),
    ...remoteMcpServers.map((server) => [server.name, remoteServer(server, mcp)]),
  ];
  return servers.length === 0 ? [] : ["--mcp-config", JSON.stringify({ mcpServers: Object.fromEntries(servers) })];
}

/** The server as the agent's settings write it. */
function remoteServer({ transport, url, headers }: RemoteMcpServer, mcp: McpFacts): object {
  const shape = mcp[transport];
  return shape ? { ...shape.marks, [shape.url]: url, ...(headers && { [shape.headers]: headers }) } : {};
}
