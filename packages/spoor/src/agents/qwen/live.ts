import { createDriver } from "../dialects/claude-stream-json/driver.ts";
import type { Launch, LaunchRequest, LiveWire } from "../machine.ts";

export const qwenLive: LiveWire = {
  command: "qwen",
  launch,
  createDriver: (request) => createDriver(request, { handshake: true }),
};

function launch({ model, systemPrompt, resume, fork, approve, maxTurns }: LaunchRequest): Launch {
  const session = fork ?? resume;
  return {
    args: [
      ...["--output-format", "stream-json", "--include-partial-messages", "--input-format", "stream-json"],
      ...["--approval-mode", { ask: "default", auto: "yolo", deny: "plan" }[approve]],
      ...(model === undefined ? [] : ["--model", model]),
      ...(systemPrompt === undefined ? [] : ["--append-system-prompt", systemPrompt]),
      ...(session === undefined ? [] : ["--resume", session]),
      ...(fork === undefined ? [] : ["--fork-session"]),
      ...(maxTurns === undefined ? [] : ["--max-session-turns", `${maxTurns}`]),
    ],
    allow: ["QWEN_*", "OPENAI_*", "DASHSCOPE_*"],
    stdin: "pipe",
  };
}
