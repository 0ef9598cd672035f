import type { Client, Json, Understood } from "./clients.ts";

export const readChat: Pick<Client, "readStream" | "readWhole" | "errorMessage"> = {
  readStream(events) {
    if (events.at(-1)?.data !== "[DONE]") throw new Error("The stream ended without [DONE].");
    const message: Json = { content: "", reasoning_content: "", tool_calls: [] };
    let finish_reason: unknown;
    let usage: unknown;
    for (const { data } of events.slice(0, -1)) {
      const chunk: Json = JSON.parse(data);
      usage = chunk.usage ?? usage;
      for (const { delta, finish_reason: reason } of chunk.choices) {
        finish_reason = reason ?? finish_reason;
        message.content += delta.content ?? "";
        message.reasoning_content += delta.reasoning_content ?? "";
        for (const call of delta.tool_calls ?? []) {
          if (call.id !== undefined) message.tool_calls[call.index] = call;
          else message.tool_calls[call.index].function.arguments += call.function.arguments;
        }
      }
    }
    return this.readWhole({ choices: [{ message, finish_reason }], usage });
  },

  readWhole({ choices, usage }): Understood {
    const { content, reasoning_content, tool_calls } = choices[0].message;
    return {
      text: content ?? "",
      thinking: reasoning_content ?? "",
      calls: (tool_calls ?? []).map((call: Json) => ({
        name: call.function.name,
        input: JSON.parse(call.function.arguments),
        id: call.id,
      })),
      stop: choices[0].finish_reason,
      usage: {
        input: usage.prompt_tokens,
        output: usage.completion_tokens,
        cacheRead: usage.prompt_tokens_details.cached_tokens,
      },
    };
  },

  errorMessage: (body) => body.error.message,
};
