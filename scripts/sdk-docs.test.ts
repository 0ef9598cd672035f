import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { openLog } from "../packages/spoor/src/log/open.ts";
import { newRunId } from "../packages/spoor/testing/log/drafts.ts";
import { firstLine } from "../packages/spoor/testing/process/first-line.ts";

const root = path.dirname(import.meta.dirname);
const page = readFileSync(path.join(root, "docs/sdk.md"), "utf8");

/** The code blocks below a heading. */
function blocksOf(heading: string): string[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? "";
  return [...section.matchAll(/^```(?:ts|js)\n(.*?)^```/gms)].map(([, code = ""]) => code);
}

describe("docs/sdk.md: each program runs as the page shows it", () => {
  it("run an agent and print its diffs", async () => {
    const recording = path.join(root, "packages/spoor/fixtures/claude/2.1.325/e-files.jsonl");
    const agent = [program("print-file.mjs"), recording, String(statSync(recording).size), "0"];
    const { stdout } = await run(project({ agent }), "Run an agent and print its diffs");
    expect(stdout).toContain("new file ");
    expect(stdout).toMatch(/^@@ -1/m);
    expect(stdout).toMatch(/^completed [\d.]+$/m);
  });

  it("record a run and follow it, in at most ten lines", async () => {
    const [code = ""] = blocksOf("Record a run and follow it");
    expect(code.trimEnd().split("\n").length).toBeLessThanOrEqual(10);
    const { stdout } = await run(project({ agent: [program("fake-claude.mjs")] }), "Record a run and follow it");
    expect(stdout).toMatch(/^0 run\.created /m);
    expect(stdout).toMatch(/^\d+ run\.finished /m);
    expect(stdout).toMatch(/completed\n$/);
  });

  it("approve by rule", async () => {
    const { stdout } = await run(project({ agent: [program("fake-claude.mjs")] }), "Approve by rule");
    expect(stdout).toBe("denied: rm -rf dist\nI left it.\n");
  });

  it("answer from another program", { timeout: 60_000 }, async () => {
    const folder = project({ agent: [program("fake-claude.mjs")] });
    const answering = start(folder, "Answer from another program");
    const asking = `
      import { createClient } from "spoor";
      const options = { agent: "claude", prompt: "run it", approve: "ask" } as const;
      console.log((await createClient({ record: "./runs" }).run(options)).text);`;
    writeFileSync(path.join(folder, "asking.ts"), asking);
    const { stdout } = await execute(folder, "asking.ts");
    expect(stdout).toBe("I left it.\n");
    expect(await answering).toBe("rm -rf dist: rejected");
  });

  it("run a task, look at its changes and take them back", { timeout: 60_000 }, async () => {
    const folder = project({});
    const { stdout } = await run(folder, "Run a task, look at its changes and take them back");
    expect(stdout).toMatch(/^run\.queued$/m);
    expect(stdout).toMatch(/^run\.finished$/m);
    expect(stdout).toMatch(/^\+hello$/m);
    expect(stdout).toMatch(/^hello\.txt reverted\n1 0\n$/m);
    expect(existsSync(path.join(folder, "hello.txt"))).toBe(false);
  });

  it("the program for tasks runs an agent too, in a process of its own", { timeout: 60_000 }, async () => {
    const [code = ""] = blocksOf("Run a task, look at its changes and take them back");
    const agent = 'kind: "agent", agent: "claude", prompt: "hello"';
    const changed = code.replace('kind: "shell", command: "echo hello > hello.txt"', agent);
    expect(changed).toContain(agent);
    const { stdout } = await run(project({ agent: [program("fake-claude.mjs")] }), "", changed);
    expect(stdout).toMatch(/^assistant\.final_answer$/m);
    expect(stdout).toMatch(/^run\.finished$/m);
  });

  it("a webhook for all runs", { timeout: 60_000 }, async () => {
    const calls: { run_id: string; type: string }[] = [];
    const hook = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      calls.push(JSON.parse(body));
      response.end();
    }).listen(0, "127.0.0.1");
    await once(hook, "listening");
    const folder = project({});
    const [code = ""] = blocksOf("A webhook for all runs");
    writeFileSync(path.join(folder, "program.ts"), code);
    const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}`;
    const child = spawn(process.execPath, argumentsOf(folder), {
      cwd: folder,
      env: { ...environmentOf(folder), WEBHOOK_URL: url },
      stdio: "inherit",
    });
    const exited = once(child, "exit");
    const log = await openLog({ directory: path.join(folder, "home") });
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await exited;
      await log.close();
      hook.close();
    });
    // The program sees only what comes after it has started, so runs end until it reports one.
    const ended: string[] = [];
    while (calls.length === 0 && child.exitCode === null) {
      const run_id = newRunId();
      ended.push(run_id);
      const drafts = ["run.created", "run.finished"].map((type) => ({ type, timestamp: Date.now(), json: "{}" }));
      const facts = { status: "completed" as const };
      await log.append([{ run_id, create: { agent: "toy", kind: "agent" }, drafts, facts }]);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(calls[0]?.type).toBe("run.finished");
    expect(ended).toContain(calls[0]?.run_id);
  });

  it("a custom adapter", async () => {
    const folder = project({});
    const [agent = "", code = ""] = blocksOf("A custom adapter");
    writeFileSync(path.join(folder, "greeter.mjs"), agent);
    expect(await run(folder, "A custom adapter", code)).toEqual({ stdout: "Hello, world! 3 completed\n", stderr: "" });
  });

  it("every program compiles in a project of its own", { timeout: 120_000 }, async () => {
    const folder = project({});
    const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading = ""]) => heading);
    const programs = headings.flatMap((heading) => blocksOf(heading).filter((code) => code.includes('from "spoor"')));
    expect(programs).toHaveLength(8);
    const files = programs.map((code, index) => {
      writeFileSync(path.join(folder, `program-${index}.ts`), `${code}\nexport {};\n`);
      return `program-${index}.ts`;
    });
    const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
    const compilerOptions = {
      ...{ module: "nodenext", target: "es2024", noEmit: true, types: [], customConditions: ["spoor-source"] },
      ...{ ...strict, allowImportingTsExtensions: true, skipLibCheck: true },
    };
    writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const tsc = path.join(root, "node_modules/.bin/tsc");
    await promisify(execFile)(tsc, ["-p", folder]).catch(({ stdout }) => expect(stdout).toBe(""));
  });
});

const program = (name: string): string => path.join(root, "packages/spoor/testing/cli/programs", name);

/** A folder like a user's project: `spoor` is installed in it, and `claude` on its PATH is this program. */
function project({ agent }: { agent?: readonly string[] }): string {
  const folder = mkdtempSync(path.join(tmpdir(), "spoor-sdk-docs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  for (const name of ["node_modules", "bin", "home"]) mkdirSync(path.join(folder, name), { mode: 0o700 });
  symlinkSync(path.join(root, "packages/spoor"), path.join(folder, "node_modules/spoor"));
  writeFileSync(path.join(folder, "package.json"), '{"type":"module"}');
  if (agent) {
    const words = [process.execPath, ...agent].map((word) => `"${word}"`).join(" ");
    writeFileSync(path.join(folder, "bin/claude"), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  }
  return folder;
}

async function run(folder: string, heading: string, code = blocksOf(heading)[0] ?? "") {
  writeFileSync(path.join(folder, "program.ts"), code);
  return execute(folder, "program.ts");
}

const execute = (folder: string, file: string) =>
  promisify(execFile)(process.execPath, argumentsOf(folder, file), { cwd: folder, env: environmentOf(folder) });

/** Starts a program that does not end by itself. Resolves with its first line, when it is ended. */
async function start(folder: string, heading: string): Promise<string> {
  writeFileSync(path.join(folder, "program.ts"), blocksOf(heading)[0] ?? "");
  const child = spawn(process.execPath, argumentsOf(folder), {
    ...{ cwd: folder, env: environmentOf(folder) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const line = await firstLine(child.stdout);
  child.kill("SIGKILL");
  await once(child, "exit");
  return line;
}

const argumentsOf = (folder: string, file = "program.ts"): string[] => [
  "--conditions=spoor-source",
  path.join(folder, file),
];

const environmentOf = (folder: string): NodeJS.ProcessEnv => ({
  ...process.env,
  PATH: [path.join(folder, "bin"), path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
  SPOOR_HOME: path.join(folder, "home"),
});
