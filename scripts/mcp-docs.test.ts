import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLog } from "../packages/spoor/src/log/open.ts";
import { readingTools } from "../packages/spoor/src/translators/mcp/tools/index.ts";
import { appendGolden } from "../packages/spoor/testing/cli/logs.ts";
import { bin } from "../packages/spoor/testing/cli/process.ts";
import { startMcp } from "../packages/spoor/testing/translators/mcp/processes.ts";

const page = readFileSync(new URL("../docs/mcp.md", import.meta.url), "utf8");
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, block = ""]) => block);

const cache = path.resolve(import.meta.dirname, "../node_modules/.cache");
mkdirSync(cache, { recursive: true });
// Inside node_modules, so that the snippets find the packages they import.
const folder = mkdtempSync(path.join(cache, "spoor-mcp-"));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
const data = path.join(folder, ".spoor");
let run_id = "";

/** Runs a program with `spoor` and a `claude` on its PATH. That one starts what it is told to add, as the real one does. */
async function execute(file: string, ...argv: string[]): Promise<string> {
  const PATH = [folder, path.dirname(process.execPath), "/usr/bin", "/bin"].join(":");
  const env = { PATH, HOME: folder, DATA: data };
  return (await promisify(execFile)(file, argv, { cwd: folder, env, timeout: 30_000 })).stdout;
}

const claude = `
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { parseArgs } from "node:util";
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { transport: { type: "string" }, header: { type: "string" } },
});
const [mcp, add, name, first, ...args] = positionals;
if (mcp !== "mcp" || add !== "add") throw new Error("It knows mcp add only.");
const client = new Client({ name: "claude", version: "1.0.0" });
const [, key, value] = /^(.*?): (.*)$/.exec(values.header ?? "") ?? [];
await client.connect(
  values.transport === "http"
    ? new StreamableHTTPClientTransport(new URL(first), { requestInit: { headers: { [key]: value } } })
    : new StdioClientTransport({ command: first, args, env: process.env }),
);
const { structuredContent } = await client.callTool({ name: "list_runs", arguments: {} });
console.log(name, structuredContent.runs[0].run_id);
await client.close();
`;

beforeAll(async () => {
  const program = (name: string, line: string) =>
    writeFileSync(path.join(folder, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  program("spoor", `exec "${process.execPath}" "${bin}" "$@"`);
  writeFileSync(path.join(folder, "claude.mjs"), claude);
  program("claude", `exec "${process.execPath}" "${path.join(folder, "claude.mjs")}" "$@"`);
  const log = await openLog({ directory: data });
  run_id = await appendGolden(log, "success");
  await log.close();
}, 60_000);

describe("docs/mcp.md", { timeout: 60_000 }, () => {
  it("shows lines that connect an agent, over stdio and over HTTP", async () => {
    const [stdio = "", http = ""] = blocks("sh");
    expect(stdio).toBe("claude mcp add spoor -- spoor mcp\n");
    expect(await execute("sh", "-c", stdio)).toBe(`spoor ${run_id}\n`);
    const server = await startMcp(data);
    try {
      expect(await execute("sh", "-c", http.replace("http://127.0.0.1:8766/v1/mcp", server.url))).toBe(
        `spoor ${run_id}\n`,
      );
    } finally {
      await server.stop();
    }
    const [file = ""] = blocks("json");
    expect(JSON.parse(file)).toEqual({ mcpServers: { spoor: { command: "spoor", args: ["mcp"] } } });
  });

  it("shows a program that works", async () => {
    const file = path.join(folder, "program.mjs");
    writeFileSync(file, `const data = process.env.DATA;\n${blocks("ts")[0]}`);
    expect(await execute(process.execPath, file)).toBe(`${run_id} claude completed\n`);
  });

  it("names every tool", async () => {
    const { commandTools } = await import("../packages/spoor/src/translators/mcp/tools/commands.ts");
    for (const { name } of [...readingTools, ...commandTools]) expect(page).toContain(`\`${name}\``);
  });
});
