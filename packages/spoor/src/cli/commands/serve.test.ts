import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { run } from "../testing/run.ts";

const program = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));

async function folder(): Promise<string> {
  const made = await mkdtemp(path.join(tmpdir(), "spoor serve-"));
  onTestFinished(() => rm(made, { recursive: true }));
  return made;
}

/** Starts the server, and gives what it says and where it is once it is up. It is stopped when the test is over. */
async function started(...options: string[]): Promise<{ said: string; url: string }> {
  const child = spawn(process.execPath, [program, "serve", "--port", "0", ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });
  let said = "";
  for await (const chunk of child.stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    said += chunk;
    if (said.includes("Ctrl-C")) break;
  }
  return { said, url: /http:\S+/.exec(said)?.[0] ?? "" };
}

it("says where the log and its token are, and what to do next with that log", async () => {
  const directory = path.join(await folder(), "it's here");
  const { said, url } = await started("--data", path.relative(process.cwd(), directory));
  expect(said).toContain(`the log is in ${directory}\n`);
  expect(said).toContain(`npx spoor ls --data '${directory.replace("'", "'\\''")}' `);
  const [, file = ""] = /token for programs: (.*)/.exec(said) ?? [];
  const authorization = `Bearer ${(await readFile(file, "utf8")).trim()}`;
  expect((await fetch(`${url}/v1/runs`, { headers: { authorization } })).status).toBe(200);
});

it("names the token file it was given, for it makes no other", async () => {
  const directory = await folder();
  const file = path.join(directory, "mine");
  await writeFile(file, "a-token-that-is-only-for-tests\n", { mode: 0o600 });
  const { said } = await started("--data", directory, "--token-file", file);
  expect(said).toContain(`token for programs: ${file}\n`);
});

it("knows which ports there are", async () => {
  const { code, stderr } = await run(["serve", "--port", "70000"]);
  expect([code, stderr]).toEqual([2, "--port takes a whole number from 0 to 65535, not 70000.\n"]);
});
