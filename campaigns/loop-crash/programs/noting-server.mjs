// An MCP server over stdio with one tool, which leaves a line in the workspace and then waits at a gate. It does not end when
// its input is closed: whoever starts it must end it.
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const [workspace = ""] = process.argv.slice(2);
setInterval(() => {}, 60_000);
process.stdout.on("error", () => {});

const tool = {
  name: "note",
  description: "Leaves a line.",
  inputSchema: { type: "object", properties: { line: { type: "string" } }, required: ["line"] },
};

/** @type {Record<string, (params: any) => object | Promise<object>>} */
const methods = {
  initialize: ({ protocolVersion }) => ({
    ...{ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "notes", version: "1" } },
  }),
  "tools/list": () => ({ tools: [tool] }),
  async "tools/call"({ arguments: { line } }) {
    appendFileSync(join(workspace, "effects"), `${line}\n`);
    writeFileSync(join(workspace, "gates", `at-${line}`), "");
    while (!existsSync(join(workspace, "gates", `go-${line}`))) await sleep(20);
    return { content: [{ type: "text", text: `noted ${line}` }] };
  },
};

createInterface(process.stdin).on("line", async (text) => {
  const { id, method, params } = JSON.parse(text);
  if (id === undefined) return;
  const result = (await methods[method]?.(params)) ?? {};
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
});
