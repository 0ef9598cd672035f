import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from "@ai-sdk/provider";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  callOptionsOf,
  endOf,
  findModel,
  modelFailureOf,
  usageOf,
} from "../../packages/spoor/src/loop/providers/index.ts";
import type { ModelRequest as LoopRequest } from "../../packages/spoor/src/loop/providers/request.ts";
import type { Answer, Script } from "../model-server/script.ts";
import { type ModelServer, startModelServer } from "../model-server/server.ts";
import { tooLong } from "../tools.ts";
import { type ProviderWire, wires } from "./wires.ts";

const KEY = "dummy-key-0123456789";

const prompt: LanguageModelV4Prompt = [
  { role: "system", content: "You are a careful agent." },
  { role: "user", content: [{ type: "text", text: "Do what the script says." }] },
];

const tools: NonNullable<LoopRequest["tools"]> = [
  {
    type: "function",
    name: "run",
    description: "Runs a command.",
    inputSchema: { type: "object", properties: { command: { type: "string" }, deep: {} }, required: ["command"] },
  },
];

async function asked(wire: ProviderWire, script: Script, request: Partial<LoopRequest> = {}) {
  const server = await startModelServer({ script });
  onTestFinished(() => server.close());
  const model = await findModel(wire.model, { ...wire.env(server.url), ...(wire.key && { [wire.key]: KEY }) });
  const ask = async (more: Partial<LoopRequest> = {}) =>
    model.model.doStream(callOptionsOf(model, { prompt, tools, ...request, ...more }));
  return { server, model, ask };
}

async function partsOf({ stream }: LanguageModelV4StreamResult): Promise<LanguageModelV4StreamPart[]> {
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

const said = (parts: readonly LanguageModelV4StreamPart[], type: "text-delta" | "reasoning-delta"): string =>
  parts.flatMap((part) => (part.type === type ? [part.delta] : [])).join("");

const callsIn = (parts: readonly LanguageModelV4StreamPart[]) =>
  parts.flatMap((part) => (part.type === "tool-call" ? [{ name: part.toolName, input: JSON.parse(part.input) }] : []));

/** The failure of a request, wherever it is told. */
async function failureIn(started: Promise<LanguageModelV4StreamResult>) {
  try {
    const last = (await partsOf(await started)).at(-1);
    return modelFailureOf(last?.type === "error" ? last.error : `It did not fail but ended with ${last?.type}.`);
  } catch (error) {
    return modelFailureOf(error);
  }
}

const bodyOf = ({ requests }: ModelServer, index = 0) => JSON.stringify(requests[index]?.body);

const everything: Answer = {
  blocks: [
    { type: "thinking", text: "Let me see.", deltas: 3 },
    { type: "text", text: "I run é 漢字 🚀.", deltas: 4 },
    {
      type: "tool",
      name: "run",
      input: { command: "ls", deep: { list: [1, "🚀"] } },
      id: "one",
      deltas: 4,
      signature: "U0lH",
    },
    { type: "tool", name: "run", input: { command: "pwd" }, id: "two" },
  ],
  usage: { input: 70, output: 30, cacheRead: 20, cacheWrite: 5, thinking: 3 },
};

describe.each(wires.map((wire) => [wire.model, wire] as const))("%s", (_, wire) => {
  test("streams text, thinking and calls at once, and tells its usage", async () => {
    const { ask } = await asked(wire, [everything]);
    const parts = await partsOf(await ask());
    expect(said(parts, "text-delta")).toBe("I run é 漢字 🚀.");
    expect(said(parts, "reasoning-delta")).toBe("Let me see.");
    expect(callsIn(parts)).toEqual([
      { name: "run", input: { command: "ls", deep: { list: [1, "🚀"] } } },
      { name: "run", input: { command: "pwd" } },
    ]);
    const finish = parts.at(-1);
    if (finish?.type !== "finish") throw new Error(`The stream ends with ${finish?.type}.`);
    expect(finish.finishReason.unified).toBe("tool-calls");
    expect(usageOf(finish.usage)).toMatchObject({ inputTokens: 70, outputTokens: 30, cachedTokens: 20 });
  });

  test("sends the system prompt and the tools", async () => {
    const { ask, server } = await asked(wire, [{ blocks: [{ type: "text", text: "Yes." }] }]);
    await partsOf(await ask());
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.dialect).toBe(wire.dialect);
    expect(bodyOf(server)).toContain("You are a careful agent.");
    expect(bodyOf(server)).toContain("Runs a command.");
  });

  test("reports a refused key without repeating it", async () => {
    const { ask } = await asked(wire, [{ status: 401, message: `Incorrect API key provided: ${KEY}.` }]);
    const failure = await failureIn(ask());
    expect(failure).toMatchObject({ kind: "auth", code: "AUTH_ERROR", status: 401, retriable: false });
    expect(endOf(failure)).toMatchObject({ type: "auth_error" });
    if (!wire.key) return;
    expect(failure.message).toContain(`refused the key in ${wire.key} (HTTP 401)`);
    expect(JSON.stringify(failure)).not.toContain(KEY);
  });

  test("reports a rate limit and how long to wait", async () => {
    const { ask } = await asked(wire, [{ status: 429, message: "slow down", headers: { "retry-after": "7" } }]);
    const failure = await failureIn(ask());
    expect(failure).toMatchObject({ kind: "rate_limit", code: "RATE_LIMITED", status: 429, retriable: true });
    expect(failure.retryAfterMs).toBe(7000);
    expect(failure.message).toContain("slow down");
  });

  test.each([529, 503, 500])("reports %s as overloaded, to be tried again", async (status) => {
    const { ask } = await asked(wire, [{ status, message: "We are overloaded" }]);
    expect(await failureIn(ask())).toMatchObject({ kind: "overloaded", status, retriable: true });
  });

  test("reports a failure in the middle of the stream", async () => {
    const blocks = [{ type: "text", text: "I begin", deltas: 2 }] as const;
    const { ask } = await asked(wire, [{ blocks, failure: { message: "We are overloaded" } }]);
    expect(await failureIn(ask())).toMatchObject({ kind: "overloaded", retriable: true });
  });

  test.each([0, 1, 3])("reports a stream that is cut after %i pieces", async (cutAfter) => {
    const { ask } = await asked(wire, [
      { blocks: [{ type: "text", text: "one two three four", deltas: 4 }], cutAfter },
    ]);
    expect(await failureIn(ask())).toMatchObject({ kind: "cut_off", retriable: true });
  });

  test("reports a request that does not fit into the context", async () => {
    const { ask } = await asked(wire, [tooLong[wire.dialect]]);
    const failure = await failureIn(ask());
    expect(failure).toMatchObject({ kind: "context", code: "CONTEXT_EXCEEDED", retriable: false });
    expect(endOf(failure).type).toBe("context_exceeded");
  });

  test("reports a model that does not exist", async () => {
    const refusal = { status: 404, message: "The model `m` does not exist.", code: "model_not_found" };
    const { ask } = await asked(wire, [refusal]);
    expect(await failureIn(ask())).toMatchObject({ kind: "invalid", code: "VALIDATION_ERROR", retriable: false });
  });

  test("reports a server that cannot be reached", async () => {
    const { ask, server } = await asked(wire, []);
    await server.close();
    const failure = await failureIn(ask());
    expect(failure).toMatchObject({ kind: "unreachable", retriable: true });
    expect(failure.message).toContain(`cannot be reached at ${new URL(server.url).host}`);
  });

  test("ends as aborted when it is aborted, not as failed", async () => {
    const abort = new AbortController();
    const script: Script = [{ blocks: [{ type: "text", text: "word ".repeat(50), deltas: 50 }], pauseMs: 1000 }];
    const { ask } = await asked(wire, script, { signal: abort.signal });
    const started = ask().then(partsOf);
    abort.abort(new Error("Stopped by the test."));
    await expect(started).rejects.toThrow("Stopped by the test.");
  });

  test("gets back in the next request what it needs", async () => {
    const { ask, server } = await asked(wire, [everything, { blocks: [{ type: "text", text: "Done." }] }]);
    const parts = await partsOf(await ask());
    await partsOf(await ask({ prompt: [...prompt, assistantOf(parts), resultsOf(parts)] }));
    const body = bodyOf(server, 1);
    for (const text of wire.returns) expect(body).toContain(text);
    expect(body).toContain("the output of run");
    expect(body.includes("Let me see.")).toBe(wire.dialect !== "chat" || wire.model.startsWith("deepseek/"));
  });
});

/** The assistant's message of a stream, as the loop makes it: what a part says about itself goes back with it. */
function assistantOf(parts: readonly LanguageModelV4StreamPart[]): LanguageModelV4Message {
  type Content = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];
  const content: Content = [];
  const open = new Map<string, Extract<Content[number], { type: "text" | "reasoning" }>>();
  for (const part of parts) {
    if (part.type === "text-start" || part.type === "reasoning-start") {
      const begun = { type: part.type === "text-start" ? ("text" as const) : ("reasoning" as const), text: "" };
      open.set(part.id, begun);
      content.push(begun);
    }
    if ("id" in part && open.has(part.id)) {
      const at = open.get(part.id);
      if (at && "delta" in part) at.text += part.delta;
      if (at && "providerMetadata" in part && part.providerMetadata) at.providerOptions = part.providerMetadata;
    }
    if (part.type === "tool-call") {
      const { toolCallId, toolName, providerMetadata } = part;
      const options = providerMetadata && { providerOptions: providerMetadata };
      content.push({ type: "tool-call", toolCallId, toolName, input: JSON.parse(part.input), ...options });
    }
  }
  return { role: "assistant", content };
}

function resultsOf(parts: readonly LanguageModelV4StreamPart[]): LanguageModelV4Message {
  const content = parts.flatMap((part) => {
    if (part.type !== "tool-call") return [];
    const { toolCallId, toolName } = part;
    const output = { type: "text" as const, value: `the output of ${toolName}` };
    return [{ type: "tool-result" as const, toolCallId, toolName, output }];
  });
  return { role: "tool", content };
}
