import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { describe, expect, onTestFinished, test } from "vitest";
import { callOptionsOf, findModel, type ModelRequest } from "../../packages/spoor/src/loop/providers/index.ts";
import { startModelServer } from "../model-server/server.ts";
import { wires } from "./wires.ts";

const prompt: LanguageModelV4Prompt = [
  { role: "system", content: "You are a careful agent." },
  { role: "user", content: [{ type: "text", text: "First." }] },
  {
    role: "assistant",
    content: [
      { type: "text", text: "Yes." },
      { type: "text", text: " \n" },
    ],
  },
  { role: "assistant", content: [{ type: "text", text: "" }] },
  { role: "user", content: [{ type: "text", text: "Second." }] },
];

const tools: NonNullable<ModelRequest["tools"]> = [
  {
    type: "function",
    name: "choose",
    inputSchema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      anyOf: [
        { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
        { type: "object", properties: { b: { anyOf: [{ type: "string" }, { type: "number" }] } } },
      ],
    },
  },
];

// biome-ignore lint/suspicious/noExplicitAny: foreign JSON, read by tests that fail where it is not as it should be
type Json = any;

/** What is sent to the provider for a request. */
async function sent(model: string, request: Partial<ModelRequest> = {}): Promise<Json> {
  const provider = model.slice(0, model.indexOf("/"));
  const wire = wires.find((one) => one.model.startsWith(`${provider}/`));
  if (!wire) throw new Error(`No wire of ${provider}.`);
  const server = await startModelServer({ script: [{ blocks: [{ type: "text", text: "Fine." }] }] });
  onTestFinished(() => server.close());
  const found = await findModel(model, { ...wire.env(server.url), ...(wire.key && { [wire.key]: "dummy-key" }) });
  const { stream } = await found.model.doStream(callOptionsOf(found, { prompt, tools, ...request }));
  for await (const part of stream) if (part.type === "error") throw part.error;
  return server.requests[0]?.body;
}

const all = wires.map(({ model }) => model);

test.each(all)("%s gets no empty texts, and an object as the schema of every tool", async (model) => {
  const body = await sent(model);
  const json = JSON.stringify(body);
  expect(json).not.toMatch(/"(text|content)":"\s*(\\n)?"/);
  expect(json).not.toContain("$schema");
  const schema =
    body.tools[0].input_schema ??
    body.tools[0].parameters ??
    body.tools[0].function?.parameters ??
    body.tools[0].functionDeclarations[0].parameters ??
    body.tools[0].functionDeclarations[0].parametersJsonSchema;
  expect(schema.type.toLowerCase()).toBe("object");
  expect(Object.keys(schema.properties)).toEqual(["a", "b"]);
  expect(schema).not.toHaveProperty("anyOf");
});

test.each(all)("%s may write as many tokens as the run allows", async (model) => {
  const json = JSON.stringify(await sent(model, { maxOutputTokens: 1234 }));
  expect(json).toMatch(/"(max_tokens|max_output_tokens|max_completion_tokens|maxOutputTokens)":1234/);
});

describe("Anthropic", () => {
  test("keeps the system prompt with the tools, and the conversation so far", async () => {
    const body = await sent("anthropic/claude-sonnet-4-5");
    const ephemeral = { type: "ephemeral" };
    expect(body.system).toEqual([{ type: "text", text: "You are a careful agent.", cache_control: ephemeral }]);
    expect(body.messages.at(-1).content).toEqual([{ type: "text", text: "Second.", cache_control: ephemeral }]);
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(2);
  });

  test("thinks as much as asked: a budget, or an effort in the form that the model knows", async () => {
    const body = await sent("anthropic/claude-sonnet-4-5", { thinkingBudgetTokens: 2048 });
    expect(body.thinking).toEqual({ type: "enabled", budget_tokens: 2048 });
    expect(body.max_tokens).toBeGreaterThan(2048);
    expect((await sent("anthropic/claude-sonnet-4-5", { thinkingEffort: "high" })).thinking.type).toBe("enabled");
    const newer = await sent("anthropic/claude-opus-4-6", { thinkingEffort: "high" });
    expect(newer).toMatchObject({ thinking: { type: "adaptive" }, output_config: { effort: "high" } });
    expect(await sent("anthropic/claude-sonnet-4-5")).not.toHaveProperty("thinking");
  });
});

describe("OpenAI", () => {
  test("keeps nothing, sends its thinking along, and takes tools with optional fields", async () => {
    const body = await sent("openai/gpt-5.5");
    expect(body).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
    expect(body.tools[0]).toMatchObject({ type: "function", name: "choose", strict: false });
    expect(body.reasoning).toBeUndefined();
  });

  test("thinks with the effort that is asked for, and shows a summary then", async () => {
    const body = await sent("openai/gpt-5.5", { thinkingEffort: "medium" });
    expect(body.reasoning).toEqual({ effort: "medium", summary: "auto" });
  });
});

describe("Google", () => {
  test("shows its thoughts, and thinks within a budget or with an effort", async () => {
    const config = async (model: string, request: Partial<ModelRequest> = {}) =>
      (await sent(model, request)).generationConfig?.thinkingConfig;
    expect(await config("google/gemini-2.5-pro")).toEqual({ includeThoughts: true });
    const budget = { includeThoughts: true, thinkingBudget: 512 };
    expect(await config("google/gemini-2.5-pro", { thinkingBudgetTokens: 512 })).toEqual(budget);
    expect(await config("google/gemini-2.5-pro", { thinkingEffort: "low" })).toMatchObject({ includeThoughts: true });
    const level = { includeThoughts: true, thinkingLevel: "high" };
    expect(await config("google/gemini-3-pro-preview", { thinkingEffort: "high" })).toEqual(level);
    expect(await config("google/gemini-2.0-flash")).toBeUndefined();
  });
});

describe("a compatible server", () => {
  test("tells its usage, and thinks with an effort", async () => {
    const body = await sent("openai-compatible/any-model", { thinkingEffort: "high" });
    expect(body).toMatchObject({ stream: true, stream_options: { include_usage: true }, reasoning_effort: "high" });
  });
});

test.each(["openai/gpt-5.5", "openai-compatible/any-model"])(
  "%s takes no thinking budget and says so",
  async (model) => {
    const asked = sent(model, { thinkingBudgetTokens: 512 });
    await expect(asked).rejects.toThrow(`${model} takes no thinking budget in tokens. Use thinkingEffort instead.`);
  },
);
