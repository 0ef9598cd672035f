import { setTimeout as sleep } from "node:timers/promises";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import { streamOf } from "../stream-of.ts";
import type { DemoScript, DemoTurn } from "./script.ts";

/**
 * A model that plays a script. It keeps no state: which turn comes next follows from the conversation, so that a run can be
 * resumed, repeated from a turn, and performed by another process.
 */
export const createDemoModel = (id: string, script: DemoScript): LanguageModelV4 => ({
  specificationVersion: "v4",
  provider: "demo",
  modelId: id,
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error("The demo only streams.")),
  doStream: async (options) => ({ stream: streamOf(answer(script, options)) }),
});

async function* answer(
  script: DemoScript,
  { prompt, tools = [], abortSignal: signal }: LanguageModelV4CallOptions,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const offered = new Set(tools.map(({ name }) => name));
  const turns = turnsOf(script, prompt).filter(({ calls = [] }) => calls.every(({ tool }) => offered.has(tool)));
  const index = prompt.filter(({ role }) => role === "assistant").length;
  const turn = turns[index] ?? { text: OVER };
  yield { type: "stream-start", warnings: [] };
  const missing = unexpected(turn, turns[index - 1], prompt);
  if (missing !== undefined) {
    yield { type: "error", error: new Error(missing) };
    return;
  }
  const { thinking, text, calls = [] } = turn;
  if (thinking !== undefined) {
    yield { type: "reasoning-start", id: "thinking" };
    for await (const delta of words(thinking, script.pace, signal))
      yield { type: "reasoning-delta", id: "thinking", delta };
    yield { type: "reasoning-end", id: "thinking" };
  }
  if (text !== undefined) {
    yield { type: "text-start", id: "text" };
    for await (const delta of words(text, script.pace, signal)) yield { type: "text-delta", id: "text", delta };
    yield { type: "text-end", id: "text" };
  }
  for (const [place, { tool, input }] of calls.entries()) {
    const id = `call-${index + 1}-${place + 1}`;
    const json = JSON.stringify(input);
    yield { type: "tool-input-start", id, toolName: tool };
    for await (const delta of words(json, 0, signal)) yield { type: "tool-input-delta", id, delta };
    yield { type: "tool-input-end", id };
    yield { type: "tool-call", toolCallId: id, toolName: tool, input: json };
  }
  const finish = calls.length > 0 ? ("tool-calls" as const) : ("stop" as const);
  yield { type: "finish", finishReason: { unified: finish, raw: finish }, usage: usageOf(turn, prompt) };
}

const OVER =
  "My script ends here. `spoor run loop` with a model of a provider goes on for real; `spoor agents loop` lists them.";

/** The turns of the main script, or those of the subagent whose prompt this is. */
function turnsOf({ turns, subagents = [] }: DemoScript, prompt: LanguageModelV4Prompt): readonly DemoTurn[] {
  const asked = prompt.find(({ role }) => role === "user");
  const first = JSON.stringify(asked?.content ?? "");
  return subagents.find((each) => first.includes(each.prompt))?.turns ?? turns;
}

/** Compares the results of the last calls with what the script expects. Returns what is wrong. */
function unexpected(
  { expect = [] }: DemoTurn,
  before: DemoTurn | undefined,
  prompt: LanguageModelV4Prompt,
): string | undefined {
  const last = prompt.findLastIndex(({ role }) => role === "assistant");
  const results = prompt
    .slice(last + 1)
    .flatMap((message) => (message.role === "tool" ? message.content : []))
    .filter((part): part is LanguageModelV4ToolResultPart => part.type === "tool-result");
  for (const [index, wanted] of expect.entries()) {
    const text = JSON.stringify(results[index]?.output ?? "nothing");
    if (text.includes(wanted)) continue;
    const tool = before?.calls?.[index]?.tool ?? "the last call";
    return `The script of the demo expects the result of ${tool} to contain "${wanted}", but it is ${text.slice(0, 300)}.`;
  }
  return undefined;
}

async function* words(text: string, pace: number, signal: AbortSignal | undefined): AsyncGenerator<string> {
  for (const word of text.match(/\s*\S+\s*?/g) ?? []) {
    if (pace > 0) await sleep(pace, undefined, { ...(signal && { signal }) });
    yield word;
  }
}

/** About four letters are a token. */
const tokensOf = (text: string): number => Math.ceil(text.length / 4);

function usageOf({ thinking = "", text = "", calls = [] }: DemoTurn, prompt: LanguageModelV4Prompt) {
  const input = tokensOf(JSON.stringify(prompt));
  const reasoning = tokensOf(thinking);
  const written = tokensOf(text) + tokensOf(calls.length === 0 ? "" : JSON.stringify(calls));
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: reasoning + written, text: written, reasoning },
  };
}
