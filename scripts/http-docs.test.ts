import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Log, LogDraft } from "../packages/spoor/src/log/log.ts";
import { openLogSync } from "../packages/spoor/src/log/open.ts";
import { createServer, type SpoorServer } from "../packages/spoor/src/server/server.ts";

const page = readFileSync(fileURLToPath(new URL("../docs/http.md", import.meta.url)), "utf8");
const [opening = "", ...recipes] = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, recipe = ""]) => recipe);
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

describe.skipIf(!hasCurl)("docs/http.md", () => {
  const directory = mkdtempSync(path.join(tmpdir(), "spoor-http-docs-"));
  let log: Log;
  let server: SpoorServer;

  beforeAll(async () => {
    log = openLogSync({ directory, durability: "process" });
    server = await createServer({ log, directory });
    const run_id = "run_01K9ZC0000SP00R00000000000";
    const drafts = ["run.created", "run.started", "turn.started", "assistant.text_complete", "run.finished"].map(
      (type): LogDraft => ({ type, timestamp: Date.UTC(2026, 5, 1), json: "{}" }),
    );
    const create = { task_id: "task_01K9ZC0000SP00R00000000000", agent: "claude", kind: "agent" };
    await log.append([{ run_id, create, drafts, facts: { status: "completed" } }]);
  });

  afterAll(async () => {
    await server.close(0);
    await log.close();
    rmSync(directory, { recursive: true, maxRetries: 5 });
  });

  /** Runs a recipe after the opening lines until it ends, or until a stream without an end has printed a frame. */
  async function printed(recipe: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
    // A shell with a socket as standard input behaves like a remote shell and reads the machine's start-up files.
    const shell = spawn(
      "bash",
      ["--norc", "-euo", "pipefail", "-c", `${opening.replace(/^echo.*$/m, "")}\n${recipe}`],
      {
        cwd: directory,
        detached: true,
        env: {
          ...process.env,
          PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`,
          SPOOR_URL: server.url,
          SPOOR_HOME: directory,
        },
      },
    );
    let stdout = "";
    let stderr = "";
    const isEndless = recipe.includes("/events/stream");
    shell.stdout.setEncoding("utf8").on("data", (chunk) => {
      stdout += chunk;
      if (isEndless && stdout.includes(recipe.includes("from=now") ? "id: " : "run.finished"))
        process.kill(-(shell.pid as number));
    });
    shell.stderr.setEncoding("utf8").on("data", (chunk) => {
      stderr += chunk;
    });
    const code = await new Promise<number | null>((resolve) => shell.once("close", resolve));
    return { code: isEndless ? 0 : code, stdout, stderr };
  }

  it("opens with the newest run", async () => {
    const { stdout } = await printed(opening);
    expect(stdout).toBe("run_01K9ZC0000SP00R00000000000 of task_01K9ZC0000SP00R00000000000\n");
  });

  it.each(recipes.map((recipe) => [recipe.split("\n")[0], recipe]))(
    "shows a recipe that works: %s",
    async (_, recipe) => {
      const { code, stdout, stderr } = await printed(recipe);
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).not.toBe("");
      const wantsError = recipe.includes("run_nobody");
      expect(stdout.includes('"error":{')).toBe(wantsError);
    },
  );
});
