import type { Block, Usage } from "../script.ts";
import { argumentsText, type Dialect, type Frame, pieces, type Reply } from "./dialect.ts";
import { openItem, wholeItem } from "./responses-items.ts";

/** OpenAI Responses. */
export const responses: Dialect = {
  name: "responses",

  stream(reply) {
    const opening = { ...head(reply), status: "in_progress", output: [] };
    const frames = [
      event("response.created", { response: opening }),
      event("response.in_progress", { response: opening }),
      ...reply.blocks.flatMap((block, index) => itemFrames(reply, block, index)),
      ending(reply),
    ];
    return frames.map((frame, sequence_number) => ({ ...frame, data: { ...frame.data, sequence_number } }));
  },

  whole(reply) {
    const reason = INCOMPLETE[reply.stop];
    return {
      ...head(reply),
      status: reason === undefined ? "completed" : "incomplete",
      incomplete_details: reason === undefined ? null : { reason },
      output: reply.blocks.map((block, index) => wholeItem(reply, block, index)),
      usage: usage(reply.usage),
    };
  },

  refuse({ status, message, code }) {
    return { error: { message, type: ERRORS[status] ?? "server_error", param: null, code: code ?? null } };
  },
};

function ending(reply: Reply): ResponseFrame {
  if (reply.failure !== undefined) {
    const error = { code: "server_error", ...reply.failure };
    return event("response.failed", { response: { ...head(reply), status: "failed", error, output: [] } });
  }
  const type = reply.stop in INCOMPLETE ? "response.incomplete" : "response.completed";
  return event(type, { response: responses.whole(reply) });
}

function itemFrames(reply: Reply, block: Block, index: number): ResponseFrame[] {
  const item = wholeItem(reply, block, index);
  const about = { item_id: item.id, output_index: index };
  return [
    event("response.output_item.added", { output_index: index, item: openItem(item) }),
    ...contentFrames(block, about),
    event("response.output_item.done", { output_index: index, item }),
  ];
}

function contentFrames(block: Block, about: object): ResponseFrame[] {
  switch (block.type) {
    case "text": {
      const at = { ...about, content_index: 0 };
      const part = { type: "output_text", annotations: [], logprobs: [] };
      return [
        event("response.content_part.added", { ...at, part: { ...part, text: "" } }),
        ...deltas("response.output_text.delta", at, block.text, block.deltas),
        event("response.output_text.done", { ...at, text: block.text }),
        event("response.content_part.done", { ...at, part: { ...part, text: block.text } }),
      ];
    }
    case "thinking": {
      const at = { ...about, summary_index: 0 };
      const part = { type: "summary_text" };
      return [
        event("response.reasoning_summary_part.added", { ...at, part: { ...part, text: "" } }),
        ...deltas("response.reasoning_summary_text.delta", at, block.text, block.deltas),
        event("response.reasoning_summary_text.done", { ...at, text: block.text }),
        event("response.reasoning_summary_part.done", { ...at, part: { ...part, text: block.text } }),
      ];
    }
    case "tool": {
      const text = argumentsText(block);
      const isFreeform = typeof block.input === "string";
      const type = isFreeform ? "response.custom_tool_call_input" : "response.function_call_arguments";
      return [
        ...deltas(`${type}.delta`, about, text, block.deltas),
        event(`${type}.done`, { ...about, [isFreeform ? "input" : "arguments"]: text }),
      ];
    }
  }
}

function deltas(type: string, at: object, text: string, count?: number): ResponseFrame[] {
  return pieces(text, count).map((delta) => ({ ...event(type, { ...at, delta }), isDelta: true }));
}

function head({ id, model }: Reply) {
  return { id: `resp_${id}`, object: "response", created_at: 1_700_000_000, model, error: null };
}

function usage({ input, output, cacheRead, cacheWrite, thinking }: Usage) {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: thinking },
    total_tokens: input + output,
  };
}

type ResponseFrame = Frame & { data: object };

const event = (type: string, data: object): ResponseFrame => ({ event: type, data: { type, ...data } });

/** Why a response is incomplete; with other stop reasons it is complete. */
const INCOMPLETE: Record<string, string> = { length: "max_output_tokens", refused: "content_filter" };

const ERRORS: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "invalid_request_error",
  429: "rate_limit_error",
};
