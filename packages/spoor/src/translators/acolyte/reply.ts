import type { Envelope } from "@spoor/protocol";
import { maybe, number, text } from "../translator.ts";
import type { StreamEvent } from "./stream-event.ts";

/** The one final reply of a request. */
export interface Reply {
  output: string;
  /** Whether the output was sent as `text-delta` before, so that a client must not show it again. */
  outputStreamed: boolean;
  model: string;
  usage: { inputTokens: number; outputTokens: number; totalTokens: number };
  /** The names of the tools, in the order in which they were first used. */
  toolCalls: string[];
  modelCalls: number;
  costMicrosUsd?: number;
}

/** Gathers the reply from the events of a run and their translation. */
export function createReply(): { add(envelope: Envelope, events: readonly StreamEvent[]): void; take(): Reply } {
  let streamed = "";
  let lastText = "";
  let answer: string | undefined;
  let model = "";
  let modelCalls = 0;
  let costMicrosUsd: number | undefined;
  const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  const tools = new Set<string>();

  return {
    add({ type, data }, events) {
      if (type === "assistant.text_complete") lastText = text(data, "text");
      if (type === "assistant.final_answer") answer = maybe(data, "summary");
      if (type === "turn.started") modelCalls += 1;
      if (type === "cost.tick") costMicrosUsd = number(data, "cumulative_cost_micros_usd");
      if (type === "turn.started" || type === "run.created") model = maybe(data, "model") ?? model;
      for (const event of events) {
        if (event.type === "text-delta") streamed += event.text;
        // Rarely, because each cut copies what is left.
        if (streamed.length > 2 * MAX_COMPARED) streamed = streamed.slice(-MAX_COMPARED);
        if (event.type === "tool-call") tools.add(event.toolName);
        if (event.type !== "usage") continue;
        usage.inputTokens += event.inputTokens;
        usage.outputTokens += event.outputTokens;
        usage.totalTokens += event.inputTokens + event.outputTokens;
      }
    },
    take() {
      const output = answer ?? lastText;
      return {
        output,
        outputStreamed: output !== "" && streamed.includes(output),
        model,
        usage,
        toolCalls: [...tools],
        modelCalls,
        ...(costMicrosUsd !== undefined && { costMicrosUsd }),
      };
    },
  };
}

/** A longer output counts as not streamed. */
const MAX_COMPARED = 1_000_000;
