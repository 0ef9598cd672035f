import { setTimeout } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  type ContentBlock,
  CreateMessageResultSchema,
  ElicitResultSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

/**
 * A server with everything that the scenarios of the conformance suite ask for, so that they can judge our transport: its
 * messages in both directions during a call, and a stream that the server closes in the middle of one.
 */
export function createExampleServer(): Server {
  const server = new Server(
    { name: "example", version: "1.0.0" },
    { capabilities: { tools: {}, resources: {}, prompts: {}, logging: {} } },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.keys(tools).map((name) => ({ name, inputSchema: schemas[name] ?? { type: "object" as const } })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const content = await tools[params.name]?.(params.arguments ?? {}, extra as never);
    if (!content) throw new Error(`There is no tool ${params.name}.`);
    return { content, ...(params.name === "test_error_handling" && { isError: true }) };
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: ["static-text", "static-binary"].map((name) => ({ name, uri: `test://${name}` })),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => ({ contents: [contentOf(uri)] }));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: Object.entries(prompts).map(([name, { args }]) => ({
      ...{ name, description: `The prompt ${name}.` },
      arguments: args.map((each) => ({ name: each, required: true })),
    })),
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => ({
    messages: (prompts[params.name]?.content(params.arguments ?? {}) ?? []).map((content) => ({
      ...{ role: "user" as const, content },
    })),
  }));
  return server;
}

interface Extra {
  _meta?: { progressToken?: string | number };
  sendNotification(message: object): Promise<void>;
  sendRequest(message: object, schema: object): Promise<Record<string, unknown>>;
  closeSSEStream?(): void;
}

const text = (words: string): ContentBlock => ({ type: "text", text: words });
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const image: ContentBlock = { type: "image", data: pixel, mimeType: "image/png" };
const embedded = (uri: string): ContentBlock => ({
  type: "resource",
  resource: { uri, mimeType: "text/plain", text: "A text." },
});

const tools: Readonly<
  Record<string, (input: Record<string, unknown>, extra: Extra) => ContentBlock[] | Promise<ContentBlock[]>>
> = {
  test_simple_text: () => [text("A text.")],
  test_image_content: () => [image],
  test_audio_content: () => [{ type: "audio", data: "UklGRiQAAABXQVZF", mimeType: "audio/wav" }],
  test_embedded_resource: () => [embedded("test://embedded")],
  test_multiple_content_types: () => [text("A text."), image, embedded("test://mixed")],
  test_error_handling: () => [text("This tool always fails.")],
  json_schema_2020_12_tool: () => [text("A text.")],
  async test_tool_with_logging(_input, { sendNotification }) {
    for (const data of ["It begins.", "It works.", "It ends."]) {
      await sendNotification({ method: "notifications/message", params: { level: "info", data } });
    }
    return [text("It is done.")];
  },
  async test_tool_with_progress(_input, { _meta, sendNotification }) {
    const progressToken = _meta?.progressToken ?? 0;
    for (const progress of [0, 50, 100]) {
      await sendNotification({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
    }
    return [text("It is done.")];
  },
  async test_sampling({ prompt }, { sendRequest }) {
    const messages = [{ role: "user", content: text(String(prompt)) }];
    const params = { messages, maxTokens: 100 };
    const { content } = await sendRequest({ method: "sampling/createMessage", params }, CreateMessageResultSchema);
    return [text(`The model said: ${JSON.stringify(content)}`)];
  },
  test_elicitation: (_input, extra) => elicited({ response: { type: "string" } }, extra),
  test_elicitation_sep1034_defaults: (_input, extra) =>
    elicited(
      {
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", default: true },
      },
      extra,
    ),
  test_elicitation_sep1330_enums: (_input, extra) =>
    elicited(
      {
        untitledSingle: { type: "string", enum: values },
        titledSingle: { type: "string", oneOf: titled },
        legacyEnum: { type: "string", enum: values, enumNames: ["One", "Two", "Three"] },
        untitledMulti: { type: "array", items: { type: "string", enum: values } },
        titledMulti: { type: "array", items: { anyOf: titled } },
      },
      extra,
    ),
  async test_reconnection(_input, { closeSSEStream }) {
    closeSSEStream?.();
    // The answer comes when the stream is closed.
    await setTimeout(100);
    return [text(closeSSEStream ? "The stream was closed." : "The stream stayed open.")];
  },
};

const values = ["one", "two", "three"];
const titled = values.map((each) => ({ const: each, title: each.toUpperCase() }));

async function elicited(properties: object, { sendRequest }: Extra): Promise<ContentBlock[]> {
  const params = { mode: "form", message: "Fill this in.", requestedSchema: { type: "object", properties } };
  const result = await sendRequest({ method: "elicitation/create", params }, ElicitResultSchema);
  return [text(`The person answered: ${JSON.stringify(result)}`)];
}

const schemas: Readonly<Record<string, { type: "object"; [field: string]: unknown }>> = {
  json_schema_2020_12_tool: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: { address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
    properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
    additionalProperties: false,
  },
};

function contentOf(
  uri: string,
): { uri: string; mimeType: string; text: string } | { uri: string; mimeType: string; blob: string } {
  if (uri === "test://static-binary") return { uri, mimeType: "image/png", blob: pixel };
  const [, id] = /^test:\/\/template\/(.+)\/data$/.exec(uri) ?? [];
  return { uri, mimeType: "text/plain", text: id === undefined ? "A text." : JSON.stringify({ id }) };
}

const prompts: Readonly<
  Record<string, { args: readonly string[]; content(given: Record<string, string>): ContentBlock[] }>
> = {
  test_simple_prompt: { args: [], content: () => [text("A prompt.")] },
  test_prompt_with_arguments: { args: ["arg1", "arg2"], content: ({ arg1, arg2 }) => [text(`${arg1} and ${arg2}`)] },
  test_prompt_with_embedded_resource: {
    args: ["resourceUri"],
    content: ({ resourceUri = "" }) => [embedded(resourceUri), text("Read it.")],
  },
  test_prompt_with_image: { args: [], content: () => [image, text("Look at it.")] },
};
