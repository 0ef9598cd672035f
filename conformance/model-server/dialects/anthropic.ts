import type { Block, Stop, Usage } from "../script.ts";
import { argumentsText, type Dialect, type Frame, pieces, type Reply } from "./dialect.ts";

/** Anthropic Messages. */
export const anthropic: Dialect = {
  name: "anthropic",

  stream(reply) {
    return [
      event("message_start", { message: { ...message(reply), usage: { ...usage(reply.usage), output_tokens: 1 } } }),
      event("ping", {}),
      ...reply.blocks.flatMap((block, index) => blockFrames(reply, block, index)),
      ...ending(reply),
    ];
  },

  whole(reply) {
    const content = reply.blocks.map((block, index) => {
      const { opening, field, text } = parts(reply, block, index);
      if (block.type === "tool") return { ...opening, input: JSON.parse(text) };
      return { ...opening, [field]: text, ...(block.type === "thinking" && { signature: SIGNATURE }) };
    });
    return { ...message(reply), content, stop_reason: STOPS[reply.stop], usage: usage(reply.usage) };
  },

  refuse({ status, message, code }) {
    return { type: "error", error: { type: code ?? ERRORS[status] ?? "api_error", message } };
  },
};

function ending({ stop, usage: tokens, failure }: Reply): Frame[] {
  if (failure !== undefined) {
    return [event("error", { error: { type: failure.code ?? "overloaded_error", message: failure.message } })];
  }
  return [
    event("message_delta", { delta: { stop_reason: STOPS[stop], stop_sequence: null }, usage: usage(tokens) }),
    event("message_stop", {}),
  ];
}

function blockFrames(reply: Reply, block: Block, index: number): Frame[] {
  const { opening, delta, field, text } = parts(reply, block, index);
  const deltas = pieces(text, block.deltas).map((piece) => ({ type: delta, [field]: piece }));
  return [
    event("content_block_start", { index, content_block: opening }),
    ...deltas.map((piece) => ({ ...event("content_block_delta", { index, delta: piece }), isDelta: true })),
    // Clients send thinking back with its signature and drop thinking that has none.
    ...(block.type === "thinking"
      ? [event("content_block_delta", { index, delta: { type: "signature_delta", signature: SIGNATURE } })]
      : []),
    event("content_block_stop", { index }),
  ];
}

/** The opening block, and the field and type of its deltas. */
function parts(reply: Reply, block: Block, index: number) {
  switch (block.type) {
    case "text":
      return { opening: { type: "text", text: "" }, delta: "text_delta", field: "text", text: block.text };
    case "thinking":
      return {
        opening: { type: "thinking", thinking: "", signature: "" },
        delta: "thinking_delta",
        field: "thinking",
        text: block.text,
      };
    case "tool":
      return {
        opening: { type: "tool_use", id: block.id ?? `toolu_${reply.id}_${index}`, name: block.name, input: {} },
        delta: "input_json_delta",
        field: "partial_json",
        text: argumentsText(block),
      };
  }
}

function message({ id, model }: Reply) {
  return {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

function usage({ input, output, cacheRead, cacheWrite }: Usage) {
  return {
    input_tokens: input - cacheRead - cacheWrite,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
  };
}

const event = (type: string, data: object): Frame => ({ event: type, data: { type, ...data } });

const SIGNATURE = "c2NyaXB0ZWQ=";

const STOPS: Record<Stop, string> = { end: "end_turn", tool: "tool_use", length: "max_tokens", refused: "refusal" };

const ERRORS: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};
