import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bin, fakeClaude } from "../packages/spoor/testing/cli/process.ts";
import { type ServerProcess, startServer } from "../packages/spoor/testing/server/server-process.ts";

const docs = new URL("../docs/", import.meta.url);
const textOf = (page: string): string => readFileSync(new URL(page, docs), "utf8");
const blocks = (page: string, language: string): string[] =>
  [...textOf(page).matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, block = ""]) => block);

/** The pages of languages that need nothing but a run and a server, with what their programs print. */
const pages = [
  { page: "ag-ui.md", prints: /^RUN_STARTED$/m },
  { page: "ai-sdk.md", prints: /^\d+$/m },
  { page: "cloudevents.md", prints: /^0{20} dev\.spoor\.run\.created\.v1$/m },
  { page: "export.md", prints: undefined },
];

const cache = path.resolve(import.meta.dirname, "../node_modules/.cache");
mkdirSync(cache, { recursive: true });
// Inside node_modules, so that the snippets find the packages they import.
const folder = mkdtempSync(path.join(cache, "spoor-languages-"));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

let server: ServerProcess;
let variables: Record<string, string>;
const data = path.join(folder, "data");

/** Runs a program with `spoor` on its PATH and the run, the token and the server in its environment. */
async function execute(file: string, ...argv: string[]): Promise<string> {
  const env = {
    PATH: [folder, path.dirname(process.execPath), "/usr/bin", "/bin"].join(":"),
    HOME: folder,
    ...variables,
  };
  return (await promisify(execFile)(file, argv, { cwd: folder, env, timeout: 30_000 })).stdout;
}

beforeAll(async () => {
  writeFileSync(path.join(folder, "spoor"), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`, { mode: 0o755 });
  variables = { SPOOR_HOME: data };
  await execute("spoor", "run", "claude", "hello", "--command", `"${process.execPath}" "${fakeClaude}"`);
  server = await startServer(data);
  const [run = {}] = JSON.parse(`[${(await execute("spoor", "ls", "--json")).trim().split("\n").join(",")}]`);
  const token = readFileSync(path.join(data, "token"), "utf8").trim();
  variables = { ...variables, TOKEN: token, RUN: run.run_id, SERVER: server.url };
}, 60_000);
afterAll(() => server?.stop());

describe.each(pages)("docs/$page", ({ page, prints }) => {
  it("shows commands and programs that work", { timeout: 90_000 }, async () => {
    const lines = blocks(page, "sh").flatMap((block) => block.trim().split("\n"));
    expect(lines).not.toEqual([]);
    for (const line of lines) {
      const out = await execute("sh", "-c", line.replace("http://127.0.0.1:8765", server.url));
      expect(out, line).toMatch(line.startsWith("curl") ? /^data: \{/m : /holds \d+ events/);
    }
    for (const [index, code] of blocks(page, "ts").entries()) {
      const file = path.join(folder, `${page}-${index}.mjs`);
      writeFileSync(file, `const { TOKEN: token, RUN: runId, SERVER: server } = process.env;\n${code}`);
      expect(await execute(process.execPath, file)).toMatch(prints ?? "no program is expected here");
    }
  });
});

it("docs/languages.md names every page of a language, and no page that is missing", () => {
  const named = [...textOf("languages.md").matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, page = ""]) => page);
  expect(named).toEqual(expect.arrayContaining(pages.map(({ page }) => page)));
  expect(named.filter((page) => !existsSync(new URL(page, docs)))).toEqual([]);
});
