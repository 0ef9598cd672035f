import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema, type Tool } from "@modelcontextprotocol/sdk/types.js";

/** How a server of the tests misbehaves. */
export interface ServerOptions {
  /** The text of the description of `echo`. */
  description?: string;
  /** A file that holds the description of `echo`, which can change while the server runs. */
  descriptionFile?: string;
  /** Descriptions of further tools. */
  descriptions?: readonly string[];
  /** A file that holds the answer of the tool `answer`. */
  answerFile?: string;
  /** How many further tools it lists. */
  count?: number;
  /** Every page of its list names another page. */
  endless?: boolean;
  /** A file to which calls and cancellations are written. */
  journal?: string;
}

/** A real MCP server with tools that answer in many ways. */
export function createTestServer(options: ServerOptions = {}): Server {
  const { journal } = options;
  const server = new Server(
    { name: "tests", version: "1" },
    { capabilities: { tools: { listChanged: true }, logging: {} } },
  );
  const note = (line: string): void => {
    if (journal !== undefined) writeFileSync(journal, `${line}\n`, { flag: "a" });
  };
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => ({
    tools: params?.cursor === undefined ? toolsOf(options) : [],
    ...(options.endless && { nextCursor: `${params?.cursor ?? ""}x` }),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
    const { name, arguments: given = {} } = params;
    note(`call ${name} ${JSON.stringify(given)}`);
    signal.addEventListener("abort", () => note(`cancelled ${name}`));
    switch (name) {
      case "echo":
        return { content: [{ type: "text", text: `echo: ${String(given.text)}` }] };
      case "answer":
        return { content: [{ type: "text", text: readFileSync(options.answerFile ?? "", "utf8") }] };
      case "environment":
        return { content: [{ type: "text", text: JSON.stringify({ ...process.env }) }] };
      case "roots":
        return { content: [{ type: "text", text: JSON.stringify(await server.listRoots()) }] };
      case "kinds":
        return {
          content: [
            { type: "text", text: "a text" },
            { type: "image", data: Buffer.from("png").toString("base64"), mimeType: "image/png" },
            { type: "audio", data: Buffer.from("wav").toString("base64"), mimeType: "audio/wav" },
            { type: "resource", resource: { uri: "file:///a.txt", text: "its text", mimeType: "text/plain" } },
            { type: "resource", resource: { uri: "file:///b.bin", blob: Buffer.from([1, 2, 3]).toString("base64") } },
            { type: "resource_link", uri: "https://example.test/c", name: "c" },
          ],
        };
      case "structured":
        return { content: [], structuredContent: { answer: 42 } };
      case "fails":
        return { content: [{ type: "text", text: "no such record" }], isError: true };
      case "throws":
        throw new Error("the database is gone");
      case "huge":
        return { content: [{ type: "text", text: "x".repeat(Number(given.bytes)) }] };
      case "hangs":
        await wait(600_000, undefined, { signal });
        return { content: [] };
      case "dies":
        process.exit(3);
        break;
      case "tells":
        await sendNotification({ method: "notifications/message", params: { level: "warning", data: "it is slow" } });
        if (params._meta?.progressToken !== undefined)
          await sendNotification({
            method: "notifications/progress",
            params: { progressToken: params._meta.progressToken, progress: 1, total: 2, message: "half" },
          });
        return { content: [{ type: "text", text: "told" }] };
      case "grows":
        options.count = Number(given.count);
        await server.sendToolListChanged();
        return { content: [{ type: "text", text: "changed" }] };
    }
    throw new Error(`There is no tool ${name}.`);
  });
  return server;
}

const names = ["echo", "environment", "roots", "kinds", "structured", "fails", "throws", "huge"];
const further = ["hangs", "dies", "tells", "grows", "dotted.name"];

function toolsOf(options: ServerOptions): Tool[] {
  const { description = "Repeats a text.", descriptionFile, descriptions = [], count = 0, answerFile } = options;
  const said = descriptionFile === undefined ? description : readFileSync(descriptionFile, "utf8");
  const inputSchema = { type: "object" as const, properties: { text: { type: "string", description: "Any text." } } };
  const more = Array.from({ length: count }, (_, index) => `more_${index}`);
  const plain = [...names, ...further, ...(answerFile === undefined ? [] : ["answer"]), ...more];
  return [
    ...plain.map((name) => ({ name, description: name === "echo" ? said : `The tool ${name}.`, inputSchema })),
    ...descriptions.map((text, index) => ({ name: `described_${index}`, description: text, inputSchema })),
  ];
}
