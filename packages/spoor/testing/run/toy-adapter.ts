import { fileURLToPath } from "node:url";
import { createJsonMachine } from "../../src/agents/kit/json-machine.ts";
import { asNumber, asText } from "../../src/agents/kit/json-values.ts";
import type { Adapter, Dialect } from "../../src/agents/machine.ts";
import type { Signal } from "../../src/agents/signal.ts";

const program = fileURLToPath(new URL("programs/toy-agent.mjs", import.meta.url));

const dialect: Dialect = {
  name: "toy",
  recognises: () => true,
  streams: { text: true, toolCalls: true, thinking: true },
  canAsk: true,
  createMachine() {
    let messages = 0;
    return createJsonMachine({
      frame(frame): Signal[] | undefined {
        const id = asText(frame.tool) ?? asText(frame.end) ?? "";
        if (frame.session) return [{ kind: "session", id: asText(frame.session) ?? "" }];
        if (frame.call) {
          messages += 1;
          const model = asText(frame.call);
          return [{ kind: "call", ...(model !== undefined && { model }) }];
        }
        if (frame.say) return [{ kind: "text", key: `m${messages}`, delta: asText(frame.say) ?? "" }];
        if (frame.ask) return [ask(asText(frame.ask) ?? "", id, asText(frame.command) ?? "")];
        if (frame.question) {
          const question = asText(frame.text) ?? "";
          return [{ kind: "question", id: asText(frame.question) ?? "", question, source: "agent" }];
        }
        if (frame.tool) {
          const command = asText(frame.command) ?? "";
          return [
            { kind: "toolReady", id, name: "Bash", toolKind: "shell", input: { command } },
            { kind: "shell", id, command },
          ];
        }
        if (frame.end) {
          const error = asText(frame.error);
          const exitCode = asNumber(frame.exit);
          return [
            { kind: "toolEnd", id, ...(error !== undefined && { error }), ...(exitCode !== undefined && { exitCode }) },
          ];
        }
        if (frame.limit) {
          const event = {
            type: "rate_limit_error",
            message: "Too many.",
            retryAfterMs: asNumber(frame.limit) ?? 0,
          } as const;
          return [{ kind: "fail", event }];
        }
        if (frame.cost) {
          return [{ kind: "cost", cost: { totalUsd: asNumber(frame.cost) ?? 0, inputTokens: 1, outputTokens: 1 } }];
        }
        const outputTokens = asNumber(frame.tokens);
        if (outputTokens !== undefined) return [{ kind: "usage", usage: { inputTokens: 0, outputTokens } }];
        if (frame.done === "interrupted")
          return [{ kind: "fail", event: { type: "interrupted" } }, { kind: "promptDone" }];
        return frame.done ? [{ kind: "promptDone" }] : undefined;
      },
      sent(frame): Signal[] {
        if (frame.prompt) return [{ kind: "prompt" }];
        const id = asText(frame.answer);
        const reason = asText(frame.text);
        if (id === undefined || frame.granted === undefined) return [];
        return [{ kind: "answer", id, granted: frame.granted === true, ...(reason !== undefined && { reason }) }];
      },
      exit: (code) =>
        code === 0 ? [] : [{ kind: "fail", event: { type: "crash", exitCode: code ?? -1, stderr: "" } }],
    });
  },
  live: {
    command: process.execPath,
    takes: ["model", "resume", "images", "mcpServers"],
    launch: () => ({ args: [program], stdin: "pipe", allow: ["TOY_*"] }),
    createDriver: ({ prompt, attachments, resume }) => ({
      endsWithInput: true,
      open: () => [JSON.stringify({ prompt, attachments, resume })],
      follow: (text) => [JSON.stringify({ prompt: text })],
      answer: (id, { granted, text }) => [JSON.stringify({ answer: id, granted, text })],
      interrupt: () => [JSON.stringify({ interrupt: true })],
    }),
  },
};

const ask = (id: string, tool: string, command: string): Signal => ({
  kind: "ask",
  id,
  action: "Run a command",
  detail: command,
  risk: "high",
  tool: { id: tool, name: "Bash", toolKind: "shell", input: { command } },
});

/** An agent for tests; `programs/toy-agent.mjs` explains its prompts. */
export const toy: Adapter = { name: "toy", title: "Toy", dialects: [dialect] };

/** The same agent as one that reports its cost, or only its tokens. */
export const toyWithCosts: Adapter = { ...toy, dialects: [{ ...dialect, reportsUsage: true }] };
export const toyWithTokens: Adapter = { ...toy, dialects: [{ ...dialect, tokensOnly: true }] };
