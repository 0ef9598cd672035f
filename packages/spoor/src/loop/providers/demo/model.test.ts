import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { checkModel, findModel } from "../find-model.ts";
import { createDemoModel } from "./model.ts";
import type { DemoScript } from "./script.ts";

const script: DemoScript = {
  title: "for this test",
  pace: 0,
  turns: [
    { thinking: "Hm.", text: "I read it.", calls: [{ tool: "read_file", input: { path: "a.txt" } }] },
    { calls: [{ tool: "absent", input: {} }] },
    { expect: ["hello"], text: "It greets." },
  ],
  subagents: [{ prompt: "Review", turns: [{ text: "Fine." }] }],
};

const asked = (text: string) => ({ role: "user" as const, content: [{ type: "text" as const, text }] });
const called = { role: "assistant" as const, content: [{ type: "text" as const, text: "I read it." }] };
const result = (value: string) => {
  const output = { type: "text" as const, value };
  const part = { type: "tool-result" as const, toolCallId: "call-1-1", toolName: "read_file", output };
  return { role: "tool" as const, content: [part] };
};

async function play(prompt: LanguageModelV4CallOptions["prompt"]): Promise<LanguageModelV4StreamPart[]> {
  const tools = [{ type: "function" as const, name: "read_file", inputSchema: {} }];
  const { stream } = await createDemoModel("test", script).doStream({ prompt, tools });
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream as unknown as AsyncIterable<LanguageModelV4StreamPart>) parts.push(part);
  return parts;
}

const textOf = (parts: readonly LanguageModelV4StreamPart[]) =>
  parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");

test("the scripted model thinks, speaks and calls a tool, in the parts of a provider's stream", async () => {
  const parts = await play([asked("Go.")]);
  expect(textOf(parts)).toBe("I read it.");
  expect(parts.map(({ type }) => type).filter((type) => !type.endsWith("delta"))).toEqual([
    ...["stream-start", "reasoning-start", "reasoning-end", "text-start", "text-end"],
    ...["tool-input-start", "tool-input-end", "tool-call", "finish"],
  ]);
  expect(parts.at(-1)).toMatchObject({
    finishReason: { unified: "tool-calls" },
    usage: { outputTokens: { reasoning: 1 } },
  });
});

test("which turn comes next follows from the conversation, without turns whose tools are not offered", async () => {
  expect(textOf(await play([asked("Go."), called, result("hello there")]))).toBe("It greets.");
  expect(textOf(await play([asked("Go."), called, called, called]))).toContain("My script ends here.");
  expect(textOf(await play([asked("Review the change.")]))).toBe("Fine.");
});

test("a result that the script does not expect is an error that names the tool and the result", async () => {
  const parts = await play([asked("Go."), called, result("no such file")]);
  const error = parts.flatMap((part) => (part.type === "error" ? [(part.error as Error).message] : []));
  expect(error[0]).toContain('the result of read_file to contain "hello"');
  expect(error[0]).toContain("no such file");
});

test("the demo needs no key, and names its scripts if another one is asked for", async () => {
  expect(await findModel("demo/tour", {})).toMatchObject({ name: "demo/tour", api: "demo" });
  await expect(findModel("demo/nothing", {})).rejects.toThrow("Known: demo/tour, demo/sprint.");
  expect(() => checkModel("demo/nothing", {})).toThrow("Known: demo/tour, demo/sprint.");
});
