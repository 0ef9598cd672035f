import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { refusalResult, resultOf, type ToolResult } from "./answers/result.ts";
import { explain } from "./explain.ts";
import { instructionsFor } from "./instructions.ts";
import { completeArgument, listResources, readingOf, resourceTemplates } from "./resources.ts";
import { published, readArguments } from "./schema.ts";
import { watchResources } from "./subscriptions.ts";
import { type McpContext, type McpTool, toolsOf } from "./tools/index.ts";

export type { McpContext } from "./tools/index.ts";

export interface McpServerOptions {
  version: string;
  /** Receives errors that should not happen. Agents are told only that one happened. */
  onFault(error: unknown): void;
}

/** Creates a server for one connection. */
export async function createMcpServer(context: McpContext, { version, onFault }: McpServerOptions): Promise<Server> {
  const tools = new Map((await toolsOf(context)).map((tool) => [tool.name, tool]));
  const server = new Server(
    { name: "spoor", title: "Spoor: the log of coding agents", version },
    {
      capabilities: { tools: {}, resources: { subscribe: true }, completions: {}, logging: {} },
      instructions: instructionsFor(context.commands !== undefined),
    },
  );

  async function call(tool: McpTool, given: unknown, signal: AbortSignal): Promise<ToolResult> {
    try {
      return resultOf(await tool.call(context, readArguments(tool, given), { signal }));
    } catch (error) {
      const known = explain(error);
      if (known) return refusalResult(known.code, known.message);
      onFault(error);
      const message = `${tool.name} failed because of an error in Spoor. Its standard error says more; try again, or ask for something else.`;
      await server.sendLoggingMessage({ level: "error", logger: "spoor", data: message }).catch(() => {});
      return refusalResult("internal", message);
    }
  }

  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools.values()].map(described) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const tool = tools.get(params.name);
    if (!tool) {
      const message = `There is no tool ${JSON.stringify(params.name.slice(0, 80))}. This server has: ${[...tools.keys()].join(", ")}.`;
      throw new McpError(ErrorCode.InvalidParams, message);
    }
    return call(tool, params.arguments, signal);
  });

  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => listResources(context, params?.cursor));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: resourceTemplates() }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }, { signal }) => {
    const reading = readingOf(uri);
    const found = reading && (await call(reading.tool, reading.input, signal));
    const [first] = found?.content ?? [];
    if (!found || !first)
      throw new McpError(RESOURCE_NOT_FOUND, `There is no resource ${JSON.stringify(uri.slice(0, 200))}.`);
    if (found.isError) throw new McpError(RESOURCE_NOT_FOUND, first.text);
    return { contents: [{ uri, mimeType: "text/plain", text: first.text }] };
  });
  server.setRequestHandler(CompleteRequestSchema, async ({ params: { ref, argument } }) => {
    const values = ref.type === "ref/resource" ? await completeArgument(context, argument.name, argument.value) : [];
    return { completion: { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 } };
  });

  const watched = watchResources(context, (uri) => server.sendResourceUpdated({ uri }));
  server.setRequestHandler(SubscribeRequestSchema, async ({ params: { uri } }) => {
    if (!(await watched.add(uri)))
      throw new McpError(ErrorCode.InvalidParams, "There are too many subscriptions. End some of them first.");
    return {};
  });
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params: { uri } }) => {
    watched.remove(uri);
    return {};
  });
  server.onclose = () => watched.close();
  server.onerror = () => {
    // The client sent what is no message of MCP, or went away. It has its answer.
  };
  return server;
}

/** As the specification of MCP has it. */
const RESOURCE_NOT_FOUND = -32002;

const described = ({ name, title, description, input, output, annotations }: McpTool) => ({
  ...{ name, title, description },
  inputSchema: published(input) as { type: "object" },
  outputSchema: published(output) as { type: "object" },
  annotations: { title, ...annotations },
});
