import type { RunView, ToolView } from "@spoor/protocol";
import type { Attributes } from "./otlp.ts";

// What people and models wrote, in the JSON of the GenAI conventions. The log holds it without the secrets that were found.

/** At most this many characters of a text, so that one span stays small enough for every receiver. */
const LONGEST = 32_768;

/** The prompts of a run, and its last answer. */
export function conversationOf(view: RunView): Attributes {
  const answer = view.messages.findLast(({ final }) => final) ?? view.messages.at(-1);
  return {
    "gen_ai.input.messages": messages(view.prompts.map(({ text }) => ({ role: "user", parts: [textPart(text)] }))),
    "gen_ai.output.messages": messages(answer ? [output([textPart(answer.text)], view.turns.at(-1)?.stopReason)] : []),
  };
}

/** Returns a function with what a turn was told, and what the model answered: texts and tool calls. */
export function turnContentOf(view: RunView): (turn: number) => Attributes {
  const prompts = Map.groupBy(view.prompts, ({ turn }) => turn || 1);
  const texts = Map.groupBy(view.messages, ({ turn }) => turn);
  const calls = Map.groupBy(view.tools, ({ turn }) => turn);
  const reasons = new Map(view.turns.map(({ number, stopReason }) => [number, stopReason]));
  return (turn) => {
    // The results of the calls before are what the model is told next.
    const results = (calls.get(turn - 1) ?? []).filter((tool) => tool.output !== undefined);
    const parts = [
      ...(texts.get(turn) ?? []).map(({ text }) => textPart(text)),
      ...(calls.get(turn) ?? []).map(({ id, name, input }) => ({
        ...{ type: "tool_call", id, name },
        arguments: bounded(input),
      })),
    ];
    return {
      "gen_ai.input.messages": messages([
        ...results.map(({ id, output }) => ({
          role: "tool",
          parts: [{ type: "tool_call_response", id, response: bounded(output) }],
        })),
        ...(prompts.get(turn) ?? []).map(({ text }) => ({ role: "user", parts: [textPart(text)] })),
      ]),
      "gen_ai.output.messages": messages(parts.length > 0 ? [output(parts, reasons.get(turn))] : []),
    };
  };
}

/** The input and the output of a call. */
export const toolContentOf = ({ input, output }: ToolView): Attributes => ({
  "gen_ai.tool.call.arguments": json(bounded(input)),
  "gen_ai.tool.call.result": json(bounded(output)),
});

const textPart = (content: string) => ({ type: "text", content: cut(content) });

/** The conventions require a reason; `stop` is what a model that ends by itself reports. */
const output = (parts: readonly object[], finish_reason = "stop") => ({ role: "assistant", parts, finish_reason });

const messages = (list: readonly object[]): string | undefined => (list.length === 0 ? undefined : json(list));

const json = (value: unknown): string | undefined =>
  value === undefined || typeof value === "string" ? value : JSON.stringify(value);

/** A value that is too large becomes the beginning of its JSON. */
function bounded(value: unknown): unknown {
  if (value === undefined) return undefined;
  if (typeof value === "string") return cut(value);
  const text = JSON.stringify(value);
  return text.length > LONGEST ? cut(text) : value;
}

const cut = (text: string): string =>
  text.length > LONGEST ? `${text.slice(0, LONGEST).toWellFormed()}… (${text.length - LONGEST} more characters)` : text;
