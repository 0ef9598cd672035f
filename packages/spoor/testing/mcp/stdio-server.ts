import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createTestServer, type ServerOptions } from "./server.ts";

/** What the program does instead of answering. */
interface Program extends ServerOptions {
  mode?: "garbage" | "silent" | "exits" | "stubborn" | "broken list";
  /** Where its process id, and that of a child, are written. */
  pids?: string;
}

const { mode, pids, ...options } = JSON.parse(process.argv[2] ?? "{}") as Program;

if (pids !== undefined) {
  const child = spawn("sleep", ["600"], { stdio: "ignore" });
  writeFileSync(pids, `${process.pid} ${child.pid}`);
}
if (mode === "garbage") {
  process.stdout.write("Welcome to my server!\n{not json\n");
  process.stdin.on("data", () => process.stdout.write('{"jsonrpc":"1.0","nonsense":true}\n[1,2]\nnull\n'));
} else if (mode === "silent") process.stdin.resume();
else if (mode === "exits") {
  process.stderr.write("the configuration is missing\n");
  process.exitCode = 7;
} else if (mode === "broken list") {
  const about = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "b", version: "1" } };
  const listed = { tools: [null, { name: 1 }, { name: "x", inputSchema: 7 }] };
  createInterface(process.stdin).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    const result = method === "initialize" ? about : listed;
    if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  });
} else {
  if (mode === "stubborn") {
    process.on("SIGTERM", () => {});
    setInterval(() => {}, 60_000);
  }
  await createTestServer(options).connect(new StdioServerTransport());
}
