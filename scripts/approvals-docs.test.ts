import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { bin, hasTerminal } from "../packages/spoor/testing/cli/process.ts";
import { createSite } from "../packages/spoor/testing/runtime/three-places.ts";

const page = readFileSync(new URL("../docs/approvals.md", import.meta.url), "utf8");
/** The commands of the page; a line that ends with a backslash goes on. */
const lines = [...page.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, text = ""]) =>
  text.replaceAll("\\\n", " ").trim().split("\n"),
);
const agent = fileURLToPath(new URL("../packages/spoor/testing/cli/programs/commanded-claude.mjs", import.meta.url));

/** A site whose shell finds `spoor` and `claude`, and the functions that run the lines of the page there. */
async function shell(hasServer: boolean) {
  const site = await createSite(hasServer);
  const programs = path.join(site.home, "programs");
  mkdirSync(programs);
  for (const [name, file] of [
    ["spoor", bin],
    ["claude", agent],
  ] as const) {
    writeFileSync(path.join(programs, name), `#!/bin/sh\nexec "${process.execPath}" "${file}" "$@"\n`);
    chmodSync(path.join(programs, name), 0o755);
  }
  const env = { ...site.env, PATH: `${programs}:${site.env.PATH}` };
  /** Runs the line of the page that begins so, with these words replaced. */
  const type = (
    start: string,
    replaced: Record<string, string> = {},
    before?: string,
  ): Promise<{ code: number; text: string }> => {
    const line = [...(before === undefined ? [] : [filled(before)]), filled(start, replaced)].join("\n");
    return new Promise((resolve) => {
      execFile("sh", ["-c", line], { cwd: site.cwd, env }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, text: stdout + stderr }),
      );
    });
  };
  const start = (words: string) =>
    site.start("script", ["-qefc", `exec env PATH='${env.PATH}' ${filled(words)}`, "/dev/null"], "pipe");
  return { ...site, type, startOnTerminal: start };
}

const typed = new Set<string>();

function filled(start: string, replaced: Record<string, string> = {}): string {
  const line = lines.find((each) => each.startsWith(start));
  if (line === undefined) throw new Error(`The page has no line that begins with ${start}.`);
  typed.add(line);
  return Object.entries(replaced).reduce((text, [word, by]) => text.replaceAll(word, by), line);
}

describe.runIf(hasTerminal)("docs/approvals.md", { timeout: 120_000 }, () => {
  it("lets the second terminal answer what the first one asks", async () => {
    const { type, startOnTerminal } = await shell(false);
    const first = startOnTerminal("spoor run claude");
    await first.printed(/rm -rf dist[^›]*› /);
    const { text } = await type("spoor approvals");
    const [, approval_id = ""] = /^▲ (\w+) /m.exec(text) ?? [];
    expect(await type("spoor approve", { "4T9W": approval_id })).toMatchObject({ code: 0 });
    await first.printed(/approved from another terminal \(cli:\S+\)/);
    expect(await first.exited).toBe(0);
  });

  it("does the same over HTTP", async () => {
    const { type, startOnTerminal, server } = await shell(true);
    const first = startOnTerminal("spoor run claude");
    await first.printed(/what led here › /);
    const replaced = { "http://127.0.0.1:8765": server?.url ?? "" };
    const listed = await type('curl -H "Authorization: Bearer $TOKEN" "http', replaced, "TOKEN=");
    const [approval_id = ""] = /appr_\w+/.exec(listed.text) ?? [];
    const given = { ...replaced, "appr_01M7...": approval_id };
    const answered = await type('curl -H "Authorization: Bearer $TOKEN" -H', given, "TOKEN=");
    expect(answered.text).toMatch(/"status":"approved"/);
    await first.printed(/approved from another tab/);
    expect(await first.exited).toBe(0);
  });

  it("has a line for every command, and each works", async () => {
    const { type, run, open } = await shell(true);
    const terminal = run("claude", "commanded-claude.mjs", "question hang", "--approve", "ask");
    const log = await open();
    const run_id = await vi.waitFor(
      async () => {
        const [found] = (await log.runs({ limit: 1 })).runs;
        if (!found?.pending) throw new Error("The agent has not asked yet.");
        return found.run_id;
      },
      { timeout: 30_000 },
    );
    const words = { "<run>": run_id };
    for (const command of ["answer", "send", "pause", "unpause", "cancel"]) {
      expect(await type(`spoor ${command}`, words), command).toMatchObject({
        code: 0,
        text: expect.stringMatching(/ is done\.$/m),
      });
    }
    await terminal.exited;
    // Whether an interrupt is carried out is tested elsewhere; the run is over.
    expect(await type("spoor interrupt", words)).toMatchObject({ code: 1, text: expect.stringContaining("is over") });
    expect(lines.filter((line) => !typed.has(line))).toEqual([]);
  });
});
