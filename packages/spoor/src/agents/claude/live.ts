import { createDriver } from "../dialects/claude-stream-json/driver.ts";
import { mcpConfig } from "../dialects/claude-stream-json/mcp-config.ts";
import type { Launch, LaunchRequest, LiveWire } from "../machine.ts";

/** Claude Code as a process that is talked to over its standard input. */
export const claudeLive: LiveWire = {
  command: "claude",
  takes: [
    ...(["model", "systemPrompt", "systemPromptReplace", "resume", "fork", "noSession"] as const),
    ...(["thinkingEffort", "maxOutputTokens"] as const),
    ...(["mcpServers", "remoteMcpServers", "sseMcpServers", "images", "documents"] as const),
  ],
  refuses: {
    thinkingBudgetTokens: "Claude's models decide how much they think: use thinkingEffort to ask for more or less.",
  },
  launch,
  createDriver,
};

function launch(request: LaunchRequest): Launch {
  const { model, systemPrompt, systemPromptMode, resume, fork, noSession, approve, maxTurns } = request;
  const { thinkingEffort, maxOutputTokens } = request;
  const session = fork ?? resume;
  const promptFlag = systemPromptMode === "replace" ? "--system-prompt" : "--append-system-prompt";
  return {
    args: [
      ...["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"],
      ...["--input-format", "stream-json"],
      ...permission[approve],
      ...(model === undefined ? [] : ["--model", model]),
      ...(systemPrompt === undefined ? [] : [promptFlag, systemPrompt]),
      ...(session === undefined ? [] : ["--resume", session]),
      ...(fork === undefined ? [] : ["--fork-session"]),
      ...(noSession ? ["--no-session-persistence"] : []),
      ...(maxTurns === undefined ? [] : ["--max-turns", `${maxTurns}`]),
      ...(thinkingEffort === undefined ? [] : ["--effort", thinkingEffort]),
      ...mcpConfig(request, (server) => ({ type: server.transport === "sse" ? "sse" : "http", url: server.url })),
    ],
    allow: ["ANTHROPIC_*", "CLAUDE_*", "AWS_*", "GOOGLE_*", "CLOUD_ML_REGION", "DISABLE_*", "IS_SANDBOX"],
    set: maxOutputTokens === undefined ? {} : { CLAUDE_CODE_MAX_OUTPUT_TOKENS: `${maxOutputTokens}` },
    stdin: "pipe",
  };
}

const permission: Record<LaunchRequest["approve"], readonly string[]> = {
  ask: ["--permission-prompt-tool", "stdio"],
  auto: ["--dangerously-skip-permissions"],
  deny: ["--permission-mode", "dontAsk"],
};
