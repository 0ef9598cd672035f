import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Script } from "../model-server/script.ts";
import { startModelServer } from "../model-server/server.ts";
import { tooLong } from "../tools.ts";
import { provenWires } from "./wires.ts";

const spoor = fileURLToPath(new URL("../../packages/spoor/bin/spoor.js", import.meta.url));
const KEY = "dummy-key-4f7a9c2e81b6d035";

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
  home: string;
}

/** Runs the command in a private home, with nothing of this environment. */
async function run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ran> {
  const home = mkdtempSync(join(tmpdir(), "spoor-loop-command-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  const variables = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    SPOOR_HOME: join(home, ".spoor"),
    NO_COLOR: "1",
    ...env,
  };
  const command = [spoor, "run", "loop", "Do what the script says.", "--cwd", home, ...args];
  const child = spawn(process.execPath, command, { env: variables, stdio: ["ignore", "pipe", "pipe"] });
  const closed = new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? -1)));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, stdout, stderr, home };
}

async function serve(script: Script): Promise<string> {
  const server = await startModelServer({ script });
  onTestFinished(() => server.close());
  return server.url;
}

describe.each(provenWires.map((wire) => [wire.model, wire] as const))("spoor run loop --model %s", (model, wire) => {
  const withKey = wire.key ? { [wire.key]: KEY } : {};

  test("answers, and neither prints nor stores the key", async () => {
    const url = await serve([{ blocks: [{ type: "text", text: "Hello from the script.", deltas: 3 }] }]);
    const ran = await run(["--model", model], { ...wire.env(url), ...withKey });
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("Hello from the script.") });
    expect(filesHolding(ran.home, KEY)).toEqual([]);
  });

  test("says which key was refused, without repeating it", async () => {
    const url = await serve([{ status: 401, message: `Incorrect API key provided: ${KEY}` }]);
    const { code, stdout, stderr, home } = await run(["--model", model, "--json"], { ...wire.env(url), ...withKey });
    expect(code).toBe(5);
    expect(stdout).toContain(`refused the key in ${wire.key}`);
    expect(stdout + stderr).not.toContain(KEY);
    expect(filesHolding(home, KEY)).toEqual([]);
  });
});

test.each([
  ["no quota is left", 14, { status: 429, message: "No quota.", code: "insufficient_quota" }],
  ["the request is too long", 15, tooLong.anthropic],
  ["the model does not exist", 2, { status: 404, message: "The model `m` does not exist.", code: "model_not_found" }],
])("exits as every agent does if %s", async (_, code, step) => {
  const url = await serve(Array.from({ length: 4 }, () => step));
  const env = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY };
  expect(await run(["--model", "claude-sonnet-4-5"], env)).toMatchObject({ code });
});

test("says which variable to set if the key is missing", async () => {
  const { code, stderr } = await run(["--model", "anthropic/claude-sonnet-4-5"], {});
  expect(stderr).toContain("Set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN in the environment.");
  expect(code).toBe(5);
});

test.each([
  ["antropic/claude-sonnet-4-5", 'Did you mean "anthropic/claude-sonnet-4-5"?'],
  ["llama3", '"llama3" does not say which provider has the model.'],
])("refuses the model %s with a hint", async (model, hint) => {
  const { code, stderr } = await run(["--model", model], {});
  expect(stderr).toContain(hint);
  expect(code).toBe(2);
});

/** The files below a folder that hold a text. */
function filesHolding(folder: string, text: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => readFileSync(file).includes(text));
}
