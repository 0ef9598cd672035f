import { noteOfFrame, recoverableError, skillInvoked } from "../kit/fact-signals.ts";
import { fail } from "../kit/failures.ts";
import { createJsonMachine, type JsonFrameReader } from "../kit/json-machine.ts";
import { asCount, asObject, asText, type Json } from "../kit/json-values.ts";
import { lookUp } from "../kit/look-up.ts";
import { omitUndefined } from "../kit/omit-undefined.ts";
import type { Dialect } from "../machine.ts";
import type { Signal } from "../signal.ts";
import { exitFailure, resultFailure } from "./gemini-failures.ts";
import { createRetryReader } from "./gemini-retries.ts";
import { filesOf, isTakenAway, mcpTool, toolKinds } from "./gemini-tools.ts";

/**
 * The output of `gemini --output-format stream-json`: one prompt, seven kinds of frames, no thoughts and no questions.
 */
export const streamJson: Dialect = {
  name: "stream-json",
  recognises: (frames) =>
    frames.some(({ value }) => {
      const frame = asObject(value);
      return frame?.jsonrpc === undefined && asText(frame?.timestamp) && kinds.has(frame?.type);
    }),
  streams: { text: true, toolCalls: false, thinking: false },
  canAsk: false,
  createMachine: () => createJsonMachine(createGeminiReader()),
};

const kinds = new Set<unknown>(["init", "message", "tool_use", "tool_result", "error", "result"]);

function createGeminiReader(): JsonFrameReader {
  const open = new Map<string, { name: string; input: Json }>();
  const readRetry = createRetryReader();
  let model: string | undefined;
  /** Whether the next output belongs to another model call. */
  let isDue = true;
  let calls = 0;
  let messages = 0;
  let isSpeaking = false;
  let hasEnded = false;

  function begin(): Signal[] {
    if (!isDue) return [];
    isDue = false;
    calls += 1;
    return [{ kind: "call", ...omitUndefined({ model }) }];
  }

  function message(frame: Json): Signal[] | undefined {
    const content = asText(frame.content);
    if (content === undefined) return undefined;
    if (frame.role === "user") return [{ kind: "prompt" }, noteOfFrame(frame)];
    if (frame.role !== "assistant") return undefined;
    const signals = begin();
    if (!isSpeaking) messages += 1;
    isSpeaking = frame.delta === true;
    const key = `message-${messages}`;
    return [...signals, isSpeaking ? { kind: "text", key, delta: content } : { kind: "textDone", key, text: content }];
  }

  function toolUse(frame: Json): Signal[] | undefined {
    const id = asText(frame.tool_id);
    const name = asText(frame.tool_name);
    if (!id || !name || open.has(id)) return undefined;
    const input = asObject(frame.parameters) ?? {};
    const mcp = mcpTool(name);
    const signals = begin();
    isSpeaking = false;
    open.set(id, { name, input });
    const toolKind = mcp ? "mcp" : (lookUp(toolKinds, name) ?? "other");
    signals.push({ kind: "toolReady", id, name, toolKind, input, ...(mcp && { mcp }) });
    return [...signals, ...doing(id, name, input)];
  }

  function toolResult(frame: Json): Signal[] | undefined {
    const id = asText(frame.tool_id);
    const call = open.get(id ?? "");
    if (!id || !call) return undefined;
    open.delete(id);
    isSpeaking = false;
    isDue = open.size === 0;
    const { name, input } = call;
    const output = asText(frame.output);
    const error = asObject(frame.error);
    if (frame.status === "error" || error) {
      const why = asText(error?.message) ?? output ?? "The tool failed.";
      const type = error?.type;
      const isRefused = type === "policy_violation" || (type === "tool_not_registered" && isTakenAway(name));
      const protocol = mcpTool(name) && { protocol: false };
      const outcome = isRefused ? "blocked" : "failed";
      return [
        ...(isRefused ? [{ kind: "denied", reason: why } as const] : runs(id, call)),
        ...(name === "invoke_agent" ? [{ kind: "spawnEnd", id, error: why } as const] : []),
        { kind: "toolEnd", id, name, error: why, outcome, ...protocol },
      ];
    }
    const ran = runs(id, call);
    return [
      ...ran,
      ...(ran.length > 0 ? [{ kind: "output", id, stream: "stdout", text: output ?? "" } as const] : []),
      ...(name === "invoke_agent" ? [{ kind: "spawnEnd", id, summary: output ?? "" } as const] : []),
      { kind: "toolEnd", id, name, output: output ?? null, files: filesOf(name, input) },
    ];
  }

  function result(frame: Json): Signal[] {
    hasEnded = true;
    const stats = asObject(frame.stats) ?? {};
    const error = asObject(frame.error);
    const usage = usageOf(stats);
    const failure: Signal[] =
      frame.status === "error" || error
        ? [fail(resultFailure(asText(error?.type), asText(error?.message) ?? ""))]
        : silentFailure(stats);
    return [...usage, { kind: "callDone" }, ...failure, { kind: "promptDone" }, noteOfFrame(frame)];
  }

  /**
   * Gemini also reports success when it stops after a tool's result without calling the model again, as it does when
   * the context would overflow. Only the token counts show this.
   */
  function silentFailure(stats: Json): Signal[] {
    if (!isDue || calls === 0) return [];
    const usedTokens = asCount(stats.input_tokens) ?? 0;
    if (usedTokens / calls > LARGE_CONTEXT) {
      return [fail({ type: "context_exceeded", usedTokens, maxTokens: 0 })];
    }
    return [recoverableError("Gemini stopped after a tool's result without an answer.")];
  }

  return {
    frame(frame) {
      const kind = frame.type;
      if (kind === "message") return message(frame);
      if (kind === "tool_use") return toolUse(frame);
      if (kind === "tool_result") return toolResult(frame);
      if (kind === "result") return result(frame);
      if (kind === "error") return [recoverableError(asText(frame.message) ?? "")];
      if (kind !== "init") return undefined;
      model = asText(frame.model);
      const id = asText(frame.session_id);
      return [{ kind: "session", ...(id && { id }) }];
    },
    stderr(line) {
      const retry = readRetry(line);
      if (retry.length > 0) isDue = true;
      return [{ kind: "log", source: "stderr", line }, ...retry];
    },
    exit(code, signal, stderr) {
      if (hasEnded) return [];
      const running = [...open].flatMap(([id, call]) => runs(id, call));
      return [...running, fail(exitFailure(code, signal, stderr))];
    },
  };
}

/**
 * If the input tokens per model call exceed this, a silent end means a full context. The largest context windows hold
 * 1,048,576 tokens.
 */
const LARGE_CONTEXT = 500_000;

/** The command of a call. Only the result shows whether it ran: until then a refused call looks like any other. */
function runs(id: string, { name, input }: { name: string; input: Json }): Signal[] {
  const command = name === "run_shell_command" ? asText(input.command) : undefined;
  const cwd = asText(input.dir_path) ?? asText(input.directory);
  return command ? [{ kind: "shell", id, command, ...(cwd && { cwd }) }] : [];
}

function doing(id: string, name: string, input: Json): Signal[] {
  if (name === "invoke_agent") {
    const agent = asText(input.agent_name) ?? name;
    return [{ kind: "spawn", id, name: agent, prompt: asText(input.prompt) ?? "" }];
  }
  const skill = name === "activate_skill" ? asText(input.name) : undefined;
  return skill ? [skillInvoked(skill)] : [];
}

/** Tokens of all calls together. Tokens that only the total contains are thinking tokens. */
function usageOf(stats: Json): Signal[] {
  const inputTokens = asCount(stats.input_tokens) ?? 0;
  const outputTokens = asCount(stats.output_tokens) ?? 0;
  if (inputTokens + outputTokens === 0) return [];
  const thinkingTokens = Math.max(0, (asCount(stats.total_tokens) ?? 0) - inputTokens - outputTokens);
  const cachedTokens = asCount(stats.cached);
  const optional = { ...(thinkingTokens > 0 && { thinkingTokens }), ...(cachedTokens && { cachedTokens }) };
  return [{ kind: "usage", usage: { inputTokens, outputTokens, ...optional } }];
}
