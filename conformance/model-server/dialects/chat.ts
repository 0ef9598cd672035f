import type { Block, Stop, ToolBlock, Usage } from "../script.ts";
import { argumentsText, type Dialect, type Frame, pieces, type Reply } from "./dialect.ts";

/** OpenAI chat completions, with `reasoning_content` for thinking, as servers of thinking models send it. */
export const chat: Dialect = {
  name: "chat",

  stream(reply) {
    return [
      chunk(reply, { role: "assistant", content: "" }),
      ...reply.blocks.flatMap((block, index) => blockFrames(reply, block, countCalls(reply.blocks.slice(0, index)))),
      ...ending(reply),
    ];
  },

  whole(reply) {
    const calls = reply.blocks
      .filter((block) => block.type === "tool")
      .map((block, place) => call(reply, block, place, argumentsText(block)));
    const message = {
      role: "assistant",
      content: said(reply, "text"),
      ...(reply.blocks.some(({ type }) => type === "thinking") && { reasoning_content: said(reply, "thinking") }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    return {
      ...head(reply, "chat.completion"),
      choices: [{ index: 0, message, logprobs: null, finish_reason: STOPS[reply.stop] }],
      usage: usage(reply.usage),
    };
  },

  refuse({ status, message, code }) {
    return { error: { message, type: ERRORS[status] ?? "server_error", param: null, code: code ?? null } };
  },
};

function ending(reply: Reply): Frame[] {
  if (reply.failure !== undefined) return [{ data: chat.refuse({ status: 500, ...reply.failure }) }];
  return [
    chunk(reply, {}, STOPS[reply.stop]),
    { data: { ...head(reply, "chat.completion.chunk"), choices: [], usage: usage(reply.usage) } },
    { data: "[DONE]" },
  ];
}

/** `place` is the index of the call among the calls. */
function blockFrames(reply: Reply, block: Block, place: number): Frame[] {
  if (block.type !== "tool") {
    const field = block.type === "text" ? "content" : "reasoning_content";
    return pieces(block.text, block.deltas).map((piece) => ({ ...chunk(reply, { [field]: piece }), isDelta: true }));
  }
  return [
    chunk(reply, { tool_calls: [{ index: place, ...call(reply, block, place, "") }] }),
    ...pieces(argumentsText(block), block.deltas).map((piece) => ({
      ...chunk(reply, { tool_calls: [{ index: place, function: { arguments: piece } }] }),
      isDelta: true,
    })),
  ];
}

function call(reply: Reply, { id, name }: ToolBlock, place: number, text: string) {
  return { id: id ?? `call_${reply.id}_${place}`, type: "function", function: { name, arguments: text } };
}

const countCalls = (blocks: readonly Block[]) => blocks.filter(({ type }) => type === "tool").length;

function chunk(reply: Reply, delta: object, finish: string | null = null): Frame {
  const choice = { index: 0, delta, logprobs: null, finish_reason: finish };
  return { data: { ...head(reply, "chat.completion.chunk"), choices: [choice] } };
}

function head({ id, model }: Reply, object: string) {
  return { id: `chatcmpl-${id}`, object, created: CREATED, model };
}

function said(reply: Reply, type: "text" | "thinking"): string | null {
  const texts = reply.blocks.flatMap((block) => (block.type === type ? [block.text] : []));
  return texts.length > 0 ? texts.join("") : null;
}

function usage({ input, output, cacheRead, thinking }: Usage) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: thinking },
  };
}

const CREATED = 1_700_000_000;

const STOPS: Record<Stop, string> = { end: "stop", tool: "tool_calls", length: "length", refused: "content_filter" };

const ERRORS: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "invalid_request_error",
  429: "rate_limit_error",
};
