import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { bin } from "../packages/spoor/testing/cli/process.ts";

const page = readFileSync(new URL("../docs/zot.md", import.meta.url), "utf8");
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, block = ""]) => block);

const folder = mkdtempSync(path.join(tmpdir(), "spoor-zot-docs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

// Written once: Linux refuses to execute a file that is open for writing ("Text file busy").
writeFileSync(path.join(folder, "spoor"), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`, { mode: 0o755 });

/** Runs a program with `spoor` on its PATH, in a folder of its own. */
async function execute(file: string, ...argv: string[]): Promise<string> {
  const PATH = [folder, path.dirname(process.execPath), "/usr/bin", "/bin"].join(":");
  const env = { PATH, HOME: folder, SPOOR_HOME: path.join(folder, "data") };
  const cwd = mkdtempSync(path.join(folder, "work-"));
  return (await promisify(execFile)(file, argv, { cwd, env, timeout: 60_000 })).stdout;
}

const TIMEOUT = { timeout: 120_000 };
const linesOf = (output: string) =>
  output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

it("docs/zot.md shows a prompt, and the lines that answer it", TIMEOUT, async () => {
  const [prompt = "", parse = ""] = blocks("sh");
  const [printed = [], events = []] = (await Promise.all([prompt, parse].map((line) => execute("sh", "-c", line)))).map(
    linesOf,
  );
  const shown = linesOf(blocks("jsonl")[0] ?? "");
  expect(printed.slice(0, shown.length).map(withoutTime)).toEqual(shown.map(withoutTime));
  expect(printed.at(-1)).toEqual({ type: "done" });
  expect(events.filter(({ type }) => type === "text_delta").map(({ delta }) => delta)).toEqual(
    printed.filter(({ type }) => type === "text_delta").map(({ delta }) => delta),
  );
});

it("docs/zot.md shows a client, and a script with the name of zot", TIMEOUT, async () => {
  writeFileSync(path.join(folder, "client.mjs"), blocks("js")[0] ?? "");
  expect(await execute(process.execPath, path.join(folder, "client.mjs"))).toMatch(
    /^word-0.*\n\[todo_write\] \{"todos"/,
  );
  writeFileSync(path.join(folder, "zot"), blocks("sh file=zot")[0] ?? "", { mode: 0o755 });
  expect(await execute("sh", "-c", `echo '{"type":"ping"}' | zot rpc`)).toContain('"pong":true');
});

it("docs/zot.md shows panes of Glasspane with their fields", TIMEOUT, async () => {
  const lines = linesOf(await execute("sh", "-c", blocks("sh")[3] ?? ""));
  expect(lines.at(-1)).toMatchObject({ type: "pane", state: "Done" });
  for (const shown of linesOf(blocks("jsonl")[1] ?? "")) {
    const real = lines.find(({ type }) => type === shown.type);
    expect(Object.keys(real)).toEqual(Object.keys(shown));
  }
  // Every kind of line has a row in the table.
  const rows = page.slice(page.indexOf("## Glasspane"));
  for (const { type } of lines)
    expect(rows).toMatch(new RegExp(`\`(${type}|message_start\`, .*_${type.split("_")[1]})\``));
});

const withoutTime = ({ time: _, ...line }: Record<string, unknown>) => line;
