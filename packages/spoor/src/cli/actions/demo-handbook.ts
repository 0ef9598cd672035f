import { createInterface } from "node:readline";
import type { Io } from "../io.ts";

const pages: Readonly<Record<string, string>> = {
  changes: "Describe a change in one sentence that says what is different for the user.",
  tests: "A test says in its name what must be true.",
};

const tool = {
  name: "look_up",
  description: "Looks up a page of the team's handbook.",
  inputSchema: {
    type: "object",
    properties: { topic: { type: "string", enum: Object.keys(pages), description: "The page." } },
    required: ["topic"],
  },
  annotations: { readOnlyHint: true },
};

/** A tiny MCP server over standard input and output, so that the demo can show a real one without installing any. */
export async function serveHandbook({ stdin, stdout }: Io): Promise<void> {
  for await (const line of createInterface({ input: stdin })) {
    const answer = answerTo(line);
    if (answer) stdout.write(`${JSON.stringify(answer)}\n`);
  }
}

interface Request {
  id?: number | string;
  method?: string;
  params?: { protocolVersion?: string; name?: string; arguments?: { topic?: string } };
}

/** The answer to one message; undefined for a notification, which gets none. */
export function answerTo(line: string): object | undefined {
  let request: Request;
  try {
    request = JSON.parse(line) as Request;
  } catch {
    return { jsonrpc: "2.0", id: null, error: { code: -32_700, message: "This is not JSON." } };
  }
  const { id, method = "", params = {} } = request;
  if (id === undefined) return undefined;
  const result = resultOf(method, params);
  if (result) return { jsonrpc: "2.0", id, result };
  return { jsonrpc: "2.0", id, error: { code: -32_601, message: `There is no method ${method}.` } };
}

function resultOf(method: string, { protocolVersion, name, arguments: given }: NonNullable<Request["params"]>) {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: protocolVersion ?? "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "handbook", version: "1.0.0" },
      };
    case "ping":
      return {};
    case "tools/list":
      return { tools: [tool] };
    case "tools/call": {
      const page = name === tool.name ? pages[given?.topic ?? ""] : undefined;
      const text = page ?? `There is no page ${given?.topic ?? ""}. Pages: ${Object.keys(pages).join(", ")}.`;
      return { content: [{ type: "text", text }], isError: page === undefined };
    }
    default:
      return undefined;
  }
}
