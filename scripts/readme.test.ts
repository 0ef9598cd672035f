import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { openLogSync } from "../packages/spoor/src/log/open.ts";
import { createServer, tokenOf } from "../packages/spoor/src/server/server.ts";
import { newRunId } from "../packages/spoor/testing/log/drafts.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const readme = readFileSync(path.join(root, "README.md"), "utf8");
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map((match) => match[1] ?? "");

/** Each `$ command` with the output that the page shows. If the page shows none, nothing is compared. */
const examples = blocks("console").flatMap((block) =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((example) => {
      const [command = "", ...output] = example.trimEnd().split("\n");
      return { command: command.replace(/\s+#.*$/, ""), output: output.join("\n") };
    }),
);

describe("the README", () => {
  it.each(examples)("shows what `$command` prints", ({ command, output }) => {
    const [npx, spoor, ...args] = command.split(" ");
    expect([npx, spoor]).toEqual(["npx", "spoor"]);
    const { stdout, stderr } = spawnSync(process.execPath, ["packages/spoor/bin/spoor.js", ...args], {
      cwd: root,
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    if (output !== "") expect(stdout.trimEnd()).toBe(output);
    else expect(stdout).not.toBe("");
  });

  it("shows the record-and-follow program that the test of docs/sdk.md runs", () => {
    const program = blocks("ts").find((block) => block.includes("followEnvelopes")) ?? "";
    expect(program).not.toBe("");
    expect(readFileSync(path.join(root, "docs/sdk.md"), "utf8")).toContain(program);
  });

  it("shows a program that runs", () => {
    const program = blocks("ts").find((block) => block.includes("function fix")) ?? "";
    const folder = mkdtempSync(path.join(tmpdir(), "spoor-readme-"));
    const spoor = pathToFileURL(path.join(root, "packages/spoor/src/index.ts")).href;
    const agent = path.join(root, "packages/spoor/testing/cli/programs/fake-claude.mjs");
    writeFileSync(path.join(folder, "claude"), `#!/bin/sh\nexec "${process.execPath}" "${agent}" "$@"\n`, {
      mode: 0o755,
    });
    const file = path.join(folder, "program.ts");
    writeFileSync(file, `${program.replace('"spoor"', JSON.stringify(spoor))}\nconsole.log(await fix("run it"));\n`);
    const printed = execFileSync(process.execPath, ["--conditions=spoor-source", file], {
      encoding: "utf8",
      env: { ...process.env, PATH: `${folder}${path.delimiter}${process.env.PATH}` },
    });
    rmSync(folder, { recursive: true, maxRetries: 5 });
    // The program allows only the test command, and this agent wants to remove a folder.
    expect(printed).toBe("I left it.completed\n");
  });

  it("shows a client that follows a run", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "spoor-readme-"));
    const log = openLogSync({ directory: folder });
    const run_id = newRunId();
    const drafts = ["run.created", "run.finished"].map((type) => ({ type, timestamp: Date.now(), json: "{}" }));
    const facts = { status: "completed" as const };
    await log.append([{ run_id, create: { agent: "toy", kind: "agent" }, drafts, facts }]);
    const server = await createServer({ log, directory: folder });
    const [program = ""] = blocks("ts").filter((block) => block.includes("@spoor/protocol/client"));
    const client = pathToFileURL(path.join(root, "packages/protocol/src/client/index.ts")).href;
    const file = path.join(folder, "program.ts");
    const call = `await watch(${JSON.stringify(server.url)}, ${JSON.stringify(await tokenOf(folder))}, "${run_id}");`;
    writeFileSync(file, `${program.replace('"@spoor/protocol/client"', JSON.stringify(client))}\n${call}\n`);
    const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=spoor-source", file]);
    await server.close();
    await log.close();
    rmSync(folder, { recursive: true, maxRetries: 5 });
    expect(stdout).toBe("0 run.created\n1 run.finished\n");
  });
});
