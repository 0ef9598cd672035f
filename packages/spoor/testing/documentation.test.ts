import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";

const root = path.dirname(import.meta.dirname);
const entries = {
  spoor: "index.ts",
  "spoor/log": "log/index.ts",
  "spoor/runtime": "runtime/index.ts",
  "spoor/server": "server/index.ts",
  "spoor/adapter": "adapter.ts",
};
const sources = globSync("src/**/*.ts", { cwd: root })
  .filter((file) => !file.endsWith(".test.ts"))
  .map((file) => readFileSync(path.join(root, file), "utf8"));

/** Main types whose values a program receives and does not create itself. */
const types = ["Client", "Run", "RunResult", "Log", "InteractionChannel", "AdapterRegistry", "RecordOptions"];

/** Second names of exports, whose comments are at the first. */
const aliases = new Set(["RunHandle", "runTransitions"]);

test.for(Object.entries(entries))("every function that %s exports has a comment", async ([, file]) => {
  const documented = new Set(commentedIn(() => true));
  expect((await functionsOf(file)).filter((name) => !documented.has(name))).toEqual([]);
});

test.for(Object.entries(entries))("every name that %s exports has a comment", ([, file]) => {
  const text = readFileSync(path.join(root, "src", file), "utf8");
  const statements = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from/gm)];
  const names = statements.flatMap(([, list = ""]) => list.match(/\w+(?=,|\s*$)/gm) ?? []);
  expect(names.length).toBeGreaterThan(10);
  const documented = new Set(commentedIn(() => true));
  expect(names.filter((name) => !documented.has(name) && !aliases.has(name))).toEqual([]);
});

test.for(Object.entries(entries))("every function and class that %s exports has an example", async ([, file]) => {
  const shown = new Set(commentedIn((comment) => comment.includes("@example")));
  expect([...(await functionsOf(file)), ...types].filter((name) => !shown.has(name))).toEqual([]);
});

test("the examples in comments compile", { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "spoor-examples-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(path.join(root, "../../node_modules"), path.join(folder, "node_modules"));
  const examples = sources.flatMap((text) => [...text.matchAll(EXAMPLE)].map(([, body = ""]) => codeOf(body)));
  expect(examples.length).toBeGreaterThan(40);
  const names = await importableNames();
  for (const [index, code] of examples.entries()) {
    writeFileSync(path.join(folder, `example-${index}.mts`), `${preludeOf(code, names)}\n${code}\nexport {};\n`);
  }
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.mts"] }));
  const tsc = path.join(root, "../../node_modules/.bin/tsc");
  const { stdout, status } = spawnSync(tsc, ["-p", folder], { encoding: "utf8" });
  expect(status, stdout).toBe(0);
});

const EXAMPLE = /^ *\* @example\n((?: *\*(?!\/).*\n)+) *\*\//gm;

const codeOf = (body: string): string => body.replaceAll(/^ *\* ?/gm, "");

/** Declarations of the values that examples use without declaring them. */
const given = {
  log: "declare const log: Log;",
  client: "declare const client: Client;",
  run: "declare const run: Run;",
  adapter: "declare const adapter: Adapter;",
  run_id: "declare const run_id: string;",
  runId: "declare const runId: string;",
  open: 'import { open } from "node:fs/promises";',
};

/** Imports and declares the names that an example uses and does not declare. */
function preludeOf(code: string, names: ReadonlyMap<string, string>): string {
  const isUsed = (name: string, text: string) => new RegExp(`(?<![.\\w])${name}\\b(?!:)`).test(text);
  const isDeclared = (name: string) => new RegExp(`(?:const|let) (?:${name}\\b|\\{[^}]*\\b${name}\\b(?!:))`).test(code);
  const declared = Object.entries(given)
    .filter(([name]) => isUsed(name, code) && !isDeclared(name))
    .map(([, line]) => line);
  const text = [...declared, code].join("\n");
  const imported = [...names].filter(([name]) => isUsed(name, text) && !isDeclared(name) && !(name in given));
  return [...imported.map(([name, entry]) => `import { ${name} } from "${entry}";`), ...declared].join("\n");
}

/** The exported functions, classes and types, with the entry that has them. */
async function importableNames(): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const [entry, file] of Object.entries(entries)) {
    const typesOfEntry = ["Log", "Client", "Run", "Adapter"];
    const values = Object.keys(await import(path.join(root, "src", file)));
    for (const name of values) if (!names.has(name)) names.set(name, entry);
    if (entry === "spoor") for (const name of typesOfEntry) names.set(name, entry);
  }
  return names;
}

async function functionsOf(file: string): Promise<string[]> {
  const protocol = await import("@spoor/protocol");
  const exported = Object.entries(await import(path.join(root, "src", file)));
  return exported.flatMap(([name, value]) => (typeof value === "function" && !(name in protocol) ? name : []));
}

/** Names of exported declarations whose comment passes. */
function commentedIn(passes: (comment: string) => boolean): string[] {
  const declaration =
    /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)\nexport (?:async |abstract )?(?:function\*?|const|class|interface|type) (\w+)/g;
  return sources.flatMap((text) =>
    [...text.matchAll(declaration)].flatMap(([, comment = "", name = ""]) => (passes(comment) ? name : [])),
  );
}

const compilerOptions = {
  ...{ module: "nodenext", target: "es2024", lib: ["es2024", "dom", "dom.iterable"], types: ["node"], noEmit: true },
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: true },
  ...{ customConditions: ["spoor-source"], allowImportingTsExtensions: true },
};
