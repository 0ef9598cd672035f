import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.dirname(import.meta.dirname);

// protocol ← {process, agents, log, failures} ← assemble ← options ← inventory ← run ← runtime ← {loop, server, translators} ← cli
const ground = ["process", "agents", "log", "failures"];
const upToRun = [...ground, "assemble", "options", "inventory", "run"];
const mayImport: Record<string, string[]> = {
  process: [],
  agents: [],
  log: [],
  failures: [],
  assemble: ["process", "agents", "failures"],
  options: [...ground, "assemble"],
  inventory: [...ground, "assemble", "options"],
  run: [...ground, "assemble", "options", "inventory"],
  runtime: upToRun,
  loop: [...upToRun, "runtime"],
  server: [...upToRun, "runtime"],
  translators: [...upToRun, "runtime"],
  cli: [...upToRun, "runtime", "loop", "server", "translators"],
};
const layers = Object.keys(mayImport);

const waysToImport = (layer: string) => [
  `import "../${layer}/a.ts";`,
  `import type {} from "../${layer}/b/c.ts";`,
  `export * from "../../${layer}/a.ts";`,
  `export const later = () => import("./../${layer}/a.ts");`,
  `import "../../src/${layer}/a.ts";`,
];

test.for(layers)("%s imports only the layers below it, whatever the form of the import", (from) => {
  const others = layers.filter((layer) => layer !== from);
  const nameOf = (to: string) => `packages/spoor/src/${from}/${to}.ts`;
  const broken = lint(Object.fromEntries(others.map((to) => [nameOf(to), waysToImport(to)])));
  for (const to of others) {
    const expected = mayImport[from]?.includes(to) ? [] : waysToImport(to).map(() => "noRestrictedImports");
    expect(broken[nameOf(to)], `${from} imports ${to}`).toEqual(expected);
  }
});

test.for(layers)("%s imports the protocol by package name and not by file", (layer) => {
  const byName = `packages/spoor/src/${layer}/by-name.ts`;
  const byFile = `packages/spoor/src/${layer}/by-file.ts`;
  expect(
    lint({ [byName]: [`import "@spoor/protocol";`], [byFile]: [`import "../../../protocol/src/index.ts";`] }),
  ).toEqual({ [byName]: [], [byFile]: ["noRestrictedImports"] });
});

test("the library's index exports any layer but cli", () => {
  const index = "packages/spoor/src/index.ts";
  expect(lint({ [index]: [`export * from "./runtime/a.ts";`] })).toEqual({ [index]: [] });
  expect(lint({ [index]: [`export * from "./cli/main.ts";`] })).toEqual({ [index]: ["noRestrictedImports"] });
});

test.for([`import "spoor";`, `import "@spoor/web";`, `import "../../../spoor/src/index.ts";`])(
  "the protocol must not contain %s",
  (line) => {
    const name = "packages/protocol/src/view/a.ts";
    expect(lint({ [name]: [line] })[name]).toContain("noRestrictedImports");
  },
);

test("the protocol uses Node modules only in tests", () => {
  const lines = [`import "node:fs";`];
  expect(
    lint({
      "packages/protocol/src/a.ts": lines,
      "packages/protocol/src/a.test.ts": lines,
      "packages/protocol/testing/a.ts": lines,
    }),
  ).toEqual({
    "packages/protocol/src/a.ts": ["noNodejsModules"],
    "packages/protocol/src/a.test.ts": [],
    "packages/protocol/testing/a.ts": [],
  });
});

test("imports form no cycle", () => {
  const hen = ['import { egg } from "./egg.ts";', "export const hen = () => egg;"];
  const egg = ['import { hen } from "./hen.ts";', "export const egg = () => hen;"];
  expect(lint({ "packages/spoor/src/log/hen.ts": hen, "packages/spoor/src/log/egg.ts": egg })).toEqual({
    "packages/spoor/src/log/hen.ts": ["noImportCycles"],
    "packages/spoor/src/log/egg.ts": ["noImportCycles"],
  });
});

test("only declared packages are imported, and no promise is left floating", () => {
  const name = "packages/spoor/src/log/a.ts";
  const lines = [`import "left-pad";`, "async function save() {}", "save();"];
  expect(lint({ [name]: lines })).toEqual({ [name]: ["noFloatingPromises", "noUndeclaredDependencies"] });
});

/** The rules broken in each of these files, by the repository's own lint configuration. */
function lint(files: Record<string, string[]>): Record<string, string[]> {
  const project = mkdtempSync(path.join(tmpdir(), "spoor-lint-"));
  try {
    for (const name of ["biome.json", ".gitignore", "packages/protocol/package.json", "packages/spoor/package.json"]) {
      cpSync(path.join(root, name), path.join(project, name));
    }
    for (const [name, lines] of Object.entries(files)) {
      mkdirSync(path.join(project, path.dirname(name)), { recursive: true });
      writeFileSync(path.join(project, name), `${lines.join("\n")}\n`);
    }
    const biome = path.join(root, "node_modules/.bin/biome");
    const args = ["lint", "--reporter=json", "--max-diagnostics=none"];
    const { stdout } = spawnSync(biome, args, { cwd: project, encoding: "utf8" });
    const { diagnostics }: Report = JSON.parse(stdout);
    const rulesIn = (name: string) =>
      diagnostics.filter((found) => found.location.path === name).map((found) => path.basename(found.category));
    return Object.fromEntries(Object.keys(files).map((name) => [name, rulesIn(name).sort()]));
  } finally {
    rmSync(project, { recursive: true });
  }
}

interface Report {
  diagnostics: { category: string; location: { path: string } }[];
}
