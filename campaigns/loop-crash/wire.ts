import type { ModelRequest } from "../../packages/spoor/src/loop/providers/request.ts";
import type { LoopCell } from "./matrix.ts";

/** A call of the conversation, as the model reads it. */
export interface AskedCall {
  id: string;
  /** Its arguments, as JSON. */
  input: string;
  result?: string;
}

/** A request to the model. */
export interface Asked {
  wire: LoopCell["wire"];
  system: string;
  tools: Tool[];
  /** The messages as they stand in the request, without marks for caches, which move from request to request. */
  messages: string[];
  /** Everything in the request beside the messages. */
  rest: string;
  /** What the user said, the first text first. */
  said: string[];
  calls: AskedCall[];
  isSummary: boolean;
}

type Tool = NonNullable<ModelRequest["tools"]>[number];

/** Reads the body of a request to a provider. */
export function readRequest(wire: LoopCell["wire"], raw: string): Asked {
  const { messages, ...rest } = JSON.parse(raw, withoutMarks) as { messages: Data[] } & Data;
  const read = wires[wire](messages, rest);
  const wanted = read.said.at(-1) ?? "";
  const shown = messages.map((message) => JSON.stringify(message));
  const isSummary = wanted.startsWith("Sum up this conversation");
  return { wire, rest: JSON.stringify(rest), messages: shown, isSummary, ...read };
}

// biome-ignore lint/suspicious/noExplicitAny: the bodies of providers are read as they are.
type Data = Record<string, any>;

const withoutMarks = (key: string, value: unknown): unknown => (key === "cache_control" ? undefined : value);

type Reader = (messages: readonly Data[], rest: Data) => Pick<Asked, "system" | "tools" | "said" | "calls">;

const wires: Readonly<Record<LoopCell["wire"], Reader>> = {
  anthropic(messages, { system = [], tools = [] }) {
    const parts = messages.flatMap(({ role, content }) =>
      (content as Data[]).map((part) => ({ role, ...part }) as Data),
    );
    const results = new Map(
      parts.filter(({ type }) => type === "tool_result").map((part) => [part.tool_use_id, textOf(part.content)]),
    );
    return {
      system: textOf(system),
      tools: (tools as Data[]).map(({ name, description, input_schema }) => toolOf(name, description, input_schema)),
      said: parts.filter(({ role, type }) => role === "user" && type === "text").map(({ text }) => text),
      calls: parts
        .filter(({ type }) => type === "tool_use")
        .map(({ id, input }) => callOf(id, JSON.stringify(input), results.get(id))),
    };
  },
  chat(messages, { tools = [] }) {
    const results = new Map(
      messages.filter(({ role }) => role === "tool").map((message) => [message.tool_call_id, textOf(message.content)]),
    );
    return {
      system: textOf(messages.find(({ role }) => role === "system")?.content),
      tools: (tools as Data[]).map(({ function: { name, description, parameters } }) =>
        toolOf(name, description, parameters),
      ),
      said: messages.filter(({ role }) => role === "user").map(({ content }) => textOf(content)),
      calls: messages
        .flatMap(({ tool_calls = [] }) => tool_calls as Data[])
        .map(({ id, function: { arguments: input } }) => callOf(id, input, results.get(id))),
    };
  },
};

const textOf = (content: unknown): string =>
  Array.isArray(content) ? content.map(({ text = "" }) => text).join("") : String(content ?? "");

const toolOf = (name: string, description: string, inputSchema: object): Tool => ({
  ...{ type: "function", name, description, inputSchema },
});

const callOf = (id: string, input: string, result: string | undefined): AskedCall => ({
  ...{ id, input },
  ...(result !== undefined && { result }),
});
