import { createDriver } from "../dialects/claude-stream-json/driver.ts";
import type { Launch, LaunchRequest, LiveWire, McpServer } from "../machine.ts";

/** Claude Code as a process that is talked to over its standard input. */
export const claudeLive: LiveWire = { command: "claude", takesMcpServers: true, launch, createDriver };

function launch({
  model,
  systemPrompt,
  resume,
  fork,
  noSession,
  approve,
  maxTurns,
  mcpServers,
}: LaunchRequest): Launch {
  const session = fork ?? resume;
  return {
    args: [
      ...["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"],
      ...["--input-format", "stream-json"],
      ...permission[approve],
      ...(model === undefined ? [] : ["--model", model]),
      ...(systemPrompt === undefined ? [] : ["--append-system-prompt", systemPrompt]),
      ...(session === undefined ? [] : ["--resume", session]),
      ...(fork === undefined ? [] : ["--fork-session"]),
      ...(noSession ? ["--no-session-persistence"] : []),
      ...(maxTurns === undefined ? [] : ["--max-turns", `${maxTurns}`]),
      ...(mcpServers === undefined ? [] : ["--mcp-config", mcpConfig(mcpServers)]),
    ],
    allow: ["ANTHROPIC_*", "CLAUDE_*", "AWS_*", "GOOGLE_*", "CLOUD_ML_REGION", "DISABLE_*", "IS_SANDBOX"],
    stdin: "pipe",
  };
}

const permission: Record<LaunchRequest["approve"], readonly string[]> = {
  ask: ["--permission-prompt-tool", "stdio"],
  auto: ["--dangerously-skip-permissions"],
  deny: ["--permission-mode", "dontAsk"],
};

const mcpConfig = (servers: readonly McpServer[]): string =>
  JSON.stringify({ mcpServers: Object.fromEntries(servers.map(({ name, ...server }) => [name, server])) });
