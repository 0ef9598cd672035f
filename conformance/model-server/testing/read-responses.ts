import type { Client, Json, Understood } from "./clients.ts";

export const readResponses: Pick<Client, "readStream" | "readWhole" | "errorMessage"> = {
  /** Reads the deltas and compares them with the final items and response. */
  readStream(events) {
    const said = new Map<string, string>();
    const items: Json[] = [];
    let response: Json;
    for (const [index, { event, data }] of events.entries()) {
      const body: Json = JSON.parse(data);
      if (body.type !== event || body.sequence_number !== index) throw new Error(`Event ${index} is out of place.`);
      if (event?.endsWith(".delta")) said.set(body.item_id, (said.get(body.item_id) ?? "") + body.delta);
      else if (event === "response.output_item.done") items.push(body.item);
      else if (event === "response.completed" || event === "response.incomplete") response = body.response;
    }
    if (JSON.stringify(items) !== JSON.stringify(response.output)) throw new Error("Items and response differ.");
    for (const item of items) {
      if (said.get(item.id) !== contentOf(item)) throw new Error(`Item ${item.id} differs from its deltas.`);
    }
    return this.readWhole(response);
  },

  readWhole({ output, status, incomplete_details, usage }): Understood {
    const items = (type: string): Json[] => output.filter((item: Json) => item.type === type);
    const functions = items("function_call").map((item) => ({ ...item, input: JSON.parse(item.arguments) }));
    return {
      text: items("message").map(contentOf).join(""),
      thinking: items("reasoning").map(contentOf).join(""),
      calls: [...functions, ...items("custom_tool_call")].map(({ name, input, call_id }) => ({
        name,
        input,
        id: call_id,
      })),
      stop: incomplete_details?.reason ?? status,
      usage: {
        input: usage.input_tokens,
        output: usage.output_tokens,
        cacheRead: usage.input_tokens_details.cached_tokens,
      },
    };
  },

  errorMessage: (body) => body.error.message,
};

function contentOf(item: Json): string {
  if (item.type === "message") return item.content[0].text;
  if (item.type === "reasoning") return item.summary[0].text;
  return item.arguments ?? item.input;
}
