import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type { LoopModel } from "../../src/loop/providers/provider.ts";

/** A call in a script. */
export interface ScriptedCall {
  id?: string;
  name: string;
  input: unknown;
}

/** What the model does in one turn. */
export interface ScriptedTurn {
  thinking?: string;
  text?: string;
  calls?: readonly ScriptedCall[];
  usage?: { input: number; output: number };
  finish?: "stop" | "length" | "tool-calls" | "error";
  /** Parts as a provider gives them, before everything else. */
  parts?: readonly LanguageModelV4StreamPart[];
  /** The stream fails with this error, after the text. */
  error?: unknown;
  /** The stream hangs after the text, until it is aborted. */
  hangs?: boolean;
}

/** A model whose answers are given. */
export interface ScriptedModel extends LoopModel {
  /** Every request so far, as JSON, without the abort signal. */
  readonly requests: string[];
}

/** What the model does: a list, by the number of answers so far, or a function. */
export type Script = readonly ScriptedTurn[] | ((options: LanguageModelV4CallOptions, request: number) => ScriptedTurn);

/** Makes a model that plays a script. `pace` is awaited after each part. */
export function scriptedModel(
  script: Script,
  more: Partial<LoopModel> = {},
  pace: () => Promise<void> = async () => {},
): ScriptedModel {
  const requests: string[] = [];
  const turnOf = typeof script === "function" ? script : byAnswers(script);
  const model: LanguageModelV4 = {
    ...{ specificationVersion: "v4", provider: "scripted", modelId: "scripted-1", supportedUrls: {} },
    doGenerate: () => Promise.reject(new Error("Only streams are scripted.")),
    async doStream(options) {
      const { abortSignal, ...request } = options;
      requests.push(JSON.stringify(request));
      return { stream: streamOf(turnOf(options, requests.length - 1), answersIn(options), abortSignal, pace) };
    },
  };
  return {
    ...{ name: "scripted/scripted-1", provider: "scripted", api: "demo", id: "scripted-1", model, requests },
    ...{ contextTokens: undefined, canUseTools: true },
    ...more,
  };
}

/** The turn that follows the answers in the conversation, so that a script does not depend on the process. */
const byAnswers =
  (script: readonly ScriptedTurn[]) =>
  (options: LanguageModelV4CallOptions): ScriptedTurn =>
    script[answersIn(options)] ?? { text: "The script is over." };

const answersIn = ({ prompt }: LanguageModelV4CallOptions): number =>
  prompt.filter(({ role }) => role === "assistant").length;

function streamOf(
  turn: ScriptedTurn,
  number: number,
  signal: AbortSignal | undefined,
  pace: () => Promise<void>,
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    async start(controller) {
      for (const part of partsOf(turn, number)) {
        controller.enqueue(part);
        await pace();
      }
      if (turn.hangs) {
        await new Promise<void>((resolve) => {
          if (signal?.aborted) resolve();
          signal?.addEventListener("abort", () => resolve());
        });
        controller.error(signal?.reason);
        return;
      }
      if (turn.error !== undefined) controller.enqueue({ type: "error", error: turn.error });
      else controller.enqueue(finishOf(turn));
      controller.close();
    },
  });
}

function* partsOf(turn: ScriptedTurn, number: number): Generator<LanguageModelV4StreamPart> {
  const { parts = [], thinking, text, calls = [] } = turn;
  yield { type: "stream-start", warnings: [] };
  yield* parts;
  if (thinking !== undefined) {
    const signature: SharedV4ProviderMetadata = { scripted: { signature: `signed:${thinking}` } };
    yield { type: "reasoning-start", id: "r" };
    yield { type: "reasoning-delta", id: "r", delta: thinking };
    yield { type: "reasoning-end", id: "r", providerMetadata: signature };
  }
  if (text !== undefined) {
    yield { type: "text-start", id: "t" };
    for (const delta of text.match(/\S+\s*|\s+/g) ?? []) yield { type: "text-delta", id: "t", delta };
    yield { type: "text-end", id: "t" };
  }
  for (const [index, { id = `call-${number + 1}-${index + 1}`, name, input }] of calls.entries()) {
    const json = typeof input === "string" ? input : JSON.stringify(input);
    yield { type: "tool-input-start", id, toolName: name };
    yield { type: "tool-input-delta", id, delta: json };
    yield { type: "tool-input-end", id };
    yield { type: "tool-call", toolCallId: id, toolName: name, input: json };
  }
}

function finishOf({ calls = [], usage = { input: 100, output: 10 }, finish }: ScriptedTurn): LanguageModelV4StreamPart {
  const unified = finish ?? (calls.length > 0 ? "tool-calls" : "stop");
  return {
    type: "finish",
    finishReason: { unified, raw: unified },
    usage: {
      inputTokens: { total: usage.input, noCache: usage.input, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: usage.output, text: usage.output, reasoning: undefined },
    },
  };
}
