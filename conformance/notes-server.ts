// A tiny MCP server: `recall` answers, `fail` reports an error.
import { createInterface } from "node:readline";

const schema = { type: "object", properties: { key: { type: "string" } } };
const tools = [
  { name: "recall", description: "Recalls a note", inputSchema: schema },
  { name: "fail", description: "Always fails", inputSchema: { type: "object", properties: {} } },
];
type Params = { protocolVersion?: string; name?: string; arguments?: { key?: string } };

const answers: Record<string, (params: Params) => object> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "notes", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name, arguments: input }) =>
    name === "recall"
      ? { content: [{ type: "text", text: `note about ${input?.key}` }] }
      : { content: [{ type: "text", text: "the notes are broken" }], isError: true },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const body = answer ? { result: answer(params ?? {}) } : { error: { code: -32601, message: `no ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...body })}\n`);
});
