import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";

const root = path.dirname(import.meta.dirname);
const entries = {
  ".": "index.ts",
  "/api": "api/index.ts",
  "/client": "client/index.ts",
  "/ids": "envelope/ids.ts",
  "/lines": "lines.ts",
  "/write": "write.ts",
};
const sources = globSync("src/**/*.ts", { cwd: root }).filter((file) => !file.endsWith(".test.ts"));

test.for(Object.values(entries))("every function that %s exports has a comment", async (entry) => {
  const exported = Object.entries(await import(path.join(root, "src", entry)));
  const functions = exported.filter(([, value]) => typeof value === "function").map(([name]) => name);
  const text = sources.map((file) => readFileSync(path.join(root, file), "utf8")).join("\n");
  const hasComment = (name: string) =>
    new RegExp(`\\*/\\nexport (?:async )?(?:function\\*?|const|class) ${name}\\b`).test(text);
  expect(functions.filter((name) => !hasComment(name))).toEqual([]);
});

test("the examples in comments and in the README compile", { timeout: 120_000 }, () => {
  const folder = mkdtempSync(path.join(tmpdir(), "spoor-examples-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const examples = [...sources, "README.md"].flatMap((file) => examplesIn(readFileSync(path.join(root, file), "utf8")));
  expect(examples.length).toBeGreaterThan(10);
  for (const [index, text] of examples.entries()) writeFileSync(path.join(folder, `example-${index}.mts`), text);
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(compilerOptions));
  const tsc = path.join(root, "../../node_modules/.bin/tsc");
  const { stdout, status } = spawnSync(tsc, ["-p", folder], { encoding: "utf8", cwd: root });
  expect(status, stdout).toBe(0);
});

const examplesIn = (text: string): string[] =>
  [...text.matchAll(/^([ *]*)```ts\n([\s\S]*?)^[ *]*```/gm)].map(([, indent = "", body = ""]) =>
    body.replaceAll(new RegExp(`^${indent.replaceAll("*", "\\*").trimEnd()} ?`, "gm"), ""),
  );

const compilerOptions = {
  extends: path.join(root, "../../tsconfig.base.json"),
  compilerOptions: {
    noEmit: true,
    composite: false,
    lib: ["es2024", "dom", "dom.iterable"],
    types: [],
    paths: Object.fromEntries(
      Object.entries(entries).map(([name, file]) => [
        path.posix.join("@spoor/protocol", name),
        [path.join(root, "src", file)],
      ]),
    ),
  },
  include: ["*.mts"],
};
