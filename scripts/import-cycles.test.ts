import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { countLines, findImportCycles, sourceFiles } from "./import-cycles.ts";

const root = path.dirname(import.meta.dirname);
const sources = ["packages/protocol/src", "packages/spoor/src", "packages/web/src"];
const MAX_LINES = 300;

test.for(sources)("the files and folders at every level of %s import each other without a cycle", (source) => {
  const cycles = findImportCycles(path.join(root, source)).map(({ folder, members, imports }) =>
    [
      `${members.join(", ")} in ${path.posix.join(source, folder)} form a cycle. Remove one of these imports:`,
      ...imports,
    ].join("\n  "),
  );
  expect(cycles, cycles.join("\n")).toEqual([]);
});

const helpers = [
  ...["packages/protocol/testing", "packages/spoor/testing", "packages/web/testing"],
  ...["conformance", "bench", "campaigns", "scripts"],
];

test.for([...sources, ...helpers])(`no source file in %s is longer than ${MAX_LINES} lines`, (source) => {
  const files = sourceFiles(path.join(root, source));
  expect(files.filter((file) => countLines(path.join(root, source, file)) > MAX_LINES)).toEqual([]);
});

test("finds a cycle between two files and names the imports", () => {
  const cycles = cyclesIn({ "hen.ts": ["./egg.ts"], "egg.ts": ["./hen.ts"], "farm.ts": ["./hen.ts"] });
  expect(cycles).toEqual([
    { folder: ".", members: ["egg.ts", "hen.ts"], imports: ["egg.ts imports hen.ts", "hen.ts imports egg.ts"] },
  ]);
});

test("finds a cycle between folders whose files form none", () => {
  const cycles = cyclesIn({
    "a/b/one.ts": ["../c/one.ts"],
    "a/c/one.ts": [],
    "a/c/two.ts": ["../b/two.ts"],
    "a/b/two.ts": [],
  });
  expect(cycles).toEqual([
    { folder: "a", members: ["b", "c"], imports: ["a/b/one.ts imports a/c/one.ts", "a/c/two.ts imports a/b/two.ts"] },
  ]);
});

test("accepts a graph without cycles, and ignores tests and generated files", () => {
  const files = { "a.ts": ["./b.ts", "./c.ts"], "b.ts": ["./c.ts"], "c.ts": [] };
  expect(cyclesIn({ ...files, "c.test.ts": ["./a.ts"], "c.gen.ts": ["./a.ts"], "testing/d.ts": ["../a.ts"] })).toEqual(
    [],
  );
});

function cyclesIn(files: Record<string, string[]>) {
  const folder = mkdtempSync(path.join(tmpdir(), "spoor-cycles-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, imports] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), imports.map((target) => `import "${target}";\n`).join(""));
  }
  return findImportCycles(folder);
}
