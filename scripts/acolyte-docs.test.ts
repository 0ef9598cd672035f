import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { requestErrors } from "../packages/spoor/src/translators/acolyte/errors.ts";
import { CAPABILITIES } from "../packages/spoor/src/translators/acolyte/status.ts";
import { type ServerProcess, startServer } from "../packages/spoor/testing/server/server-process.ts";

const page = readFileSync(new URL("../docs/acolyte.md", import.meta.url), "utf8");
const blocksOf = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, block = ""]) => block);

const home = mkdtempSync(path.join(tmpdir(), "spoor-acolyte-docs-"));
const data = path.join(home, "data");
let server: ServerProcess;
beforeAll(async () => {
  server = await startServer(data);
}, 60_000);
afterAll(async () => {
  await server?.stop();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

/** A block as a reader would use it, in a folder of its own. */
function placed(block: string, name: string): { text: string; folder: string; env: Record<string, string> } {
  const folder = path.join(home, name);
  mkdirSync(folder);
  const text = block.replaceAll("/path/to/project", folder).replaceAll("http://127.0.0.1:8765", server.url);
  const TOKEN = readFileSync(path.join(data, "token"), "utf8").trim();
  return { text, folder, env: { PATH: process.env.PATH ?? "", TOKEN } };
}

it.concurrent("the program in docs/acolyte.md talks to an agent and prints the tokens", {
  timeout: 60_000,
}, async () => {
  const [program = ""] = blocksOf("ts");
  const { text, folder, env } = placed(program, "program");
  const file = path.join(home, "program.mjs");
  writeFileSync(file, text);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], { env, timeout: 50_000 });
  expect(stderr).toBe("");
  expect(stdout).toMatch(/greets the world.*\n\d+ tokens\n$/s);
  expect(existsSync(path.join(folder, "greet.sh"))).toBe(true);
});

it.concurrent("the command in docs/acolyte.md streams the same over HTTP", { timeout: 60_000 }, async () => {
  const [command = ""] = blocksOf("sh");
  const { text, env } = placed(command, "command");
  const { stdout } = await promisify(execFile)("sh", ["-c", text], { env, timeout: 50_000 });
  const events = stdout.split("\n\n").filter((frame) => frame.startsWith("data: "));
  expect(JSON.parse(events.at(-1)?.slice(6) ?? "")).toMatchObject({ type: "done", reply: { outputStreamed: true } });
});

it("docs/acolyte.md names every code of a request and every capability", () => {
  for (const name of [...Object.keys(requestErrors), ...CAPABILITIES]) expect(page).toContain(`\`${name}\``);
});
