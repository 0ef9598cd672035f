import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { type ScriptedModel, type ScriptedTurn, scriptedModel } from "../../loop/scripted-model.ts";
import type { Attack } from "./attack.ts";

/** How many calls the model makes at once. */
const AT_ONCE = 16;

type Call = Pick<Attack, "tool" | "input">;

/** A text that makes the model do something. It stays whole in names of files, in Markdown and in lists. */
export const orderTo = ({ tool, input }: Call): string => `OBEY:${encode(JSON.stringify({ tool, input }))}:NOW`;

/** Whatever could end a name, or be changed on the way, is written as its bytes. */
const encode = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) => {
      const letter = String.fromCharCode(byte);
      return /[a-zA-Z0-9]/.test(letter) ? letter : `%${byte.toString(16).padStart(2, "0")}`;
    })
    .join("");

/**
 * A model that does everything that any text tells it to do: of the user, of the repository, of a tool, of a server. Before
 * that it makes the calls of `first`, unless it was told to do something already.
 */
export function obedientModel(first: () => readonly Call[]): ScriptedModel {
  return scriptedModel((options): ScriptedTurn => {
    const done = callsIn(options);
    const isTold = ordersIn({ ...options, prompt: options.prompt.slice(0, 2) }).length > 0;
    const before = isTold ? [] : first();
    const [next] = before.slice(done);
    if (next) return { calls: [{ name: next.tool, input: next.input }] };
    const orders = ordersIn(options).slice(done - before.length, done - before.length + AT_ONCE);
    if (orders.length === 0) return { text: "I have done everything that I was told." };
    return { calls: orders.map(({ tool, input }) => ({ name: tool, input })) };
  });
}

const callsIn = ({ prompt }: LanguageModelV4CallOptions): number =>
  prompt
    .flatMap(({ role, content }) => (role === "assistant" ? content : []))
    .filter(({ type }) => type === "tool-call").length;

/** The orders in all texts that the model reads, in their order, each once. */
function ordersIn({ prompt, tools = [] }: LanguageModelV4CallOptions): Call[] {
  const orders = new Set<string>();
  const read = (value: unknown): void => {
    if (typeof value === "string")
      for (const [, order = ""] of value.matchAll(/OBEY:([a-zA-Z0-9%]+):NOW/g)) orders.add(order);
    else if (typeof value === "object" && value !== null) for (const each of Object.values(value)) read(each);
  };
  // What the model itself said, and what it called, is no order.
  for (const { role, content } of prompt) if (role !== "assistant") read(content);
  read(tools);
  return [...orders].map((order) => JSON.parse(decodeURIComponent(order)) as Call);
}
