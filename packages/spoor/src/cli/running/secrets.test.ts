import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { bin } from "../../../testing/cli/process.ts";
import { openLogSync } from "../../log/open.ts";

const program = fileURLToPath(new URL("../../../testing/cli/programs/talkative-claude.mjs", import.meta.url));

it("secrets that an agent prints, in any kind of output, are in no file of the data directory", {
  timeout: 120_000,
}, async () => {
  const data = mkdtempSync(path.join(tmpdir(), "spoor-secrets-"));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const body = "q8Zr2Lm5Xc7Vb9Nn1Kp4Wd6Ts3Hg0JfYuIo";
  const words = [`ghp_${body}x`, `sk-ant-api03-${body}`, `npm_${body}y`, `DB_PASSWORD=${body}`, `glpat-${body}`];
  const env = { PATH: process.env.PATH, HOME: data, TALK: words.join("\n"), DB_PASS: "tr0ub4dor" };
  const spoor = (...args: string[]) =>
    spawnSync(process.execPath, [bin, ...args, "--data", data], { encoding: "utf8", env });

  const command = ["--command", `"${process.execPath}" "${program}"`];
  expect(spoor("run", "claude", `Use npm_${body}z.`, ...command)).toMatchObject({ status: 0 });
  expect(spoor("export", "last", "-o", path.join(data, "run.spoor"))).toMatchObject({ status: 0 });

  const log = openLogSync({ directory: data });
  onTestFinished(() => log.close());
  const { run_id = "" } = (await log.runs()).runs[0] ?? {};
  const tape: string[] = [];
  for await (const { text } of log.tapes.read(run_id)) tape.push(text);
  expect(tape.filter((line) => line.includes("novelty"))).toHaveLength(words.length);
  const files = readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(path.join(parentPath, name), "latin1"));
  for (const text of [...tape, ...files]) {
    expect(text).not.toContain(body.slice(10, 22));
    expect(text).not.toContain("tr0ub4dor");
  }
});
