import { createDriver } from "../dialects/claude-stream-json/driver.ts";
import { mcpConfig } from "../dialects/claude-stream-json/mcp-config.ts";
import type { Launch, LaunchRequest, LiveWire } from "../machine.ts";

export const qwenLive: LiveWire = {
  command: "qwen",
  takes: [
    ...(["model", "systemPrompt", "systemPromptReplace", "resume", "fork", "noSession"] as const),
    ...(["mcpServers", "remoteMcpServers", "sseMcpServers"] as const),
  ],
  launch,
  createDriver: (request) => createDriver(request, { handshake: true }),
};

function launch(request: LaunchRequest): Launch {
  const { model, systemPrompt, systemPromptMode, resume, fork, noSession, approve, maxTurns } = request;
  const session = fork ?? resume;
  const promptFlag = systemPromptMode === "replace" ? "--system-prompt" : "--append-system-prompt";
  return {
    args: [
      ...["--output-format", "stream-json", "--include-partial-messages", "--input-format", "stream-json"],
      ...["--approval-mode", { ask: "default", auto: "yolo", deny: "plan" }[approve]],
      ...(model === undefined ? [] : ["--model", model]),
      ...(systemPrompt === undefined ? [] : [promptFlag, systemPrompt]),
      ...(session === undefined ? [] : ["--resume", session]),
      ...(fork === undefined ? [] : ["--fork-session"]),
      ...(noSession ? ["--chat-recording=false"] : []),
      ...(maxTurns === undefined ? [] : ["--max-session-turns", `${maxTurns}`]),
      ...mcpConfig(request, ({ transport, url }) => (transport === "sse" ? { url } : { httpUrl: url })),
    ],
    allow: ["QWEN_*", "OPENAI_*", "DASHSCOPE_*"],
    stdin: "pipe",
  };
}
