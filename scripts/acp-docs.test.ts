import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { createAcpPlace } from "../packages/spoor/testing/acp/place.ts";
import { firstLine } from "../packages/spoor/testing/process/first-line.ts";

const page = readFileSync(new URL("../docs/acp.md", import.meta.url), "utf8");
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, text]) => text ?? "");
const [zed, jetBrains] = blocks("json").map((block) => JSON.parse(block).agent_servers.Spoor as Started);
const [, command = "", args = ""] =
  /spoor = { command = "(.*?)", args = { "(.*?)" }/.exec(blocks("lua")[0] ?? "") ?? [];

interface Started {
  command: string;
  args: string[];
}

it.each([
  ["Zed", zed],
  ["JetBrains IDEs", jetBrains],
  ["Neovim", { command, args: [args] }],
])("docs/acp.md shows a configuration for %s whose command speaks ACP", { timeout: 60_000 }, async (_, started) => {
  const { cwd, env, programs } = createAcpPlace();
  // Where it is installed, a whole path differs.
  const program = (started?.command ?? "").replace(/^\/usr\/local\/bin\//, `${programs}/`);
  const child = spawn(program, started?.args ?? [], { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.write(
    `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } })}\n`,
  );
  expect(JSON.parse(await firstLine(child.stdout))).toMatchObject({
    id: 1,
    result: { protocolVersion: 1, agentInfo: { name: "spoor" } },
  });
  const ended = once(child, "exit");
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
});

it("docs/acp.md shows a program that asks an agent", { timeout: 60_000 }, async () => {
  const { cwd, env } = createAcpPlace();
  const cache = path.resolve(import.meta.dirname, "../node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  // Inside node_modules, so that the program finds the package it imports.
  const folder = mkdtempSync(path.join(cache, "spoor-acp-docs-"));
  try {
    const file = path.join(folder, "example.mjs");
    writeFileSync(file, blocks("ts")[0] ?? "");
    const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd, env, timeout: 50_000 });
    expect(stdout.trim()).toBe("Heard Say.Heard hello..");
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});
