import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { countLines, findImportCycles, sourceFiles } from "./import-cycles.ts";

const root = path.dirname(import.meta.dirname);
const sources = ["packages/protocol/src", "packages/spoor/src"];
const MAX_LINES = 300;

/** Folders in which an import cycle is still to be removed. Remove an entry together with its last cycle. */
const knownCycles: readonly string[] = [
  "packages/spoor/src/log",
  "packages/spoor/src/log/sqlite/upkeep",
  "packages/spoor/src/run",
  "packages/spoor/src/runtime",
  "packages/spoor/src/runtime/redaction",
  "packages/spoor/src/server",
];

/** Files that are still to be split. Remove an entry together with the split. */
const knownLongFiles: readonly string[] = [
  "packages/protocol/src/mapping/table.ts",
  "packages/spoor/src/runtime/recorder/recorder.ts",
  "packages/spoor/src/runtime/redaction/kinds/shapes.ts",
];

test.for(sources)("the files and folders at every level of %s import each other without a cycle", (source) => {
  const cycles = findImportCycles(path.join(root, source)).map((cycle) => ({
    ...cycle,
    folder: path.posix.join(source, cycle.folder),
  }));
  const unexpected = cycles.filter(({ folder }) => !knownCycles.includes(folder));
  expect(
    unexpected,
    unexpected
      .map(({ folder, members, imports }) =>
        [`${members.join(", ")} in ${folder} form a cycle. Remove one of these imports:`, ...imports].join("\n  "),
      )
      .join("\n"),
  ).toEqual([]);
  const known = knownCycles.filter((folder) => folder.startsWith(`${source}/`) || folder === source);
  const resolved = known.filter((folder) => !cycles.some((cycle) => cycle.folder === folder));
  expect(resolved, "these folders have no cycle any more: remove them from knownCycles").toEqual([]);
});

test.for(sources)(`no source file in %s is longer than ${MAX_LINES} lines`, (source) => {
  const long = sourceFiles(path.join(root, source))
    .map((file) => path.posix.join(source, file))
    .filter((file) => countLines(path.join(root, file)) > MAX_LINES);
  expect(long).toEqual(knownLongFiles.filter((file) => file.startsWith(`${source}/`)));
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
