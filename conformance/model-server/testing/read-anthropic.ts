import type { Client, Json, Understood } from "./clients.ts";

export const readAnthropic: Pick<Client, "readStream" | "readWhole" | "errorMessage"> = {
  readStream(events) {
    let message: Json;
    let ended = false;
    const partial: string[] = [];
    for (const { event, data } of events) {
      const body: Json = JSON.parse(data);
      if (body.type !== event) throw new Error(`Event ${event} carries ${body.type}.`);
      const block = message?.content[body.index];
      if (event === "message_start") message = body.message;
      else if (event === "content_block_start") message.content[body.index] = body.content_block;
      else if (event === "content_block_delta") apply(block, body.delta, partial, body.index);
      else if (event === "content_block_stop" && block.type === "tool_use") block.input = parse(partial[body.index]);
      else if (event === "message_delta") Object.assign(message, body.delta, { usage: body.usage });
      else if (event === "message_stop") ended = true;
    }
    if (!ended) throw new Error("The stream ended without message_stop.");
    return this.readWhole(message);
  },

  readWhole(message): Understood {
    const blocks = (type: string): Json[] => message.content.filter((block: Json) => block.type === type);
    if (blocks("thinking").some(({ signature }) => signature === "")) throw new Error("Thinking without a signature.");
    const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = message.usage;
    return {
      text: blocks("text")
        .map(({ text }) => text)
        .join(""),
      thinking: blocks("thinking")
        .map(({ thinking }) => thinking)
        .join(""),
      calls: blocks("tool_use").map(({ name, input, id }) => ({ name, input, id })),
      stop: message.stop_reason,
      usage: {
        input: input_tokens + cache_read_input_tokens + cache_creation_input_tokens,
        output: output_tokens,
        cacheRead: cache_read_input_tokens,
      },
    };
  },

  errorMessage: (body) => body.type === "error" && body.error.message,
};

function apply(block: Json, delta: Json, partial: string[], index: number): void {
  if (delta.type === "text_delta") block.text += delta.text;
  else if (delta.type === "thinking_delta") block.thinking += delta.thinking;
  else if (delta.type === "signature_delta") block.signature = delta.signature;
  else if (delta.type === "input_json_delta") partial[index] = (partial[index] ?? "") + delta.partial_json;
  else throw new Error(`No such delta: ${delta.type}.`);
}

function parse(text = ""): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
