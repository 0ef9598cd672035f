import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import vm from "node:vm";
import { build, type Rolldown } from "vite";
import { beforeAll, describe, expect, test } from "vitest";
import { serveRun, startFakeServer } from "../testing/client/fake-server.ts";
import { smallRun } from "../testing/client/runs.ts";

describe.each(["index.ts", "api/index.ts", "client/index.ts"])("the bundle of %s", (entry) => {
  let bundle: Awaited<ReturnType<typeof bundleForBrowsers>>;

  beforeAll(async () => {
    bundle = await bundleForBrowsers(path.join(import.meta.dirname, entry));
  });

  test("contains no Node module and no other external import", () => {
    expect({ builtins: bundle.builtins, imports: bundle.imports }).toEqual({ builtins: [], imports: [] });
  });

  test("runs without Node: no process, no require, no Buffer", () => {
    const page = vm.createContext({});
    for (const name of ["process", "require", "Buffer"]) {
      expect(vm.runInContext(`typeof ${name}`, page)).toBe("undefined");
    }
    vm.runInContext(bundle.code, page);
    const exported: string[] = vm.runInContext("Object.keys(protocol)", page);
    expect(exported).not.toEqual([]);
  });
});

test("the client follows a run in a page that has only what every browser has", async () => {
  const run = smallRun(5);
  await using server = await startFakeServer(serveRun(run));
  const { code } = await bundleForBrowsers(path.join(import.meta.dirname, "client/index.ts"));
  const page = vm.createContext({ fetch, AbortController, TextDecoder, setTimeout, clearTimeout, url: server.url });
  vm.runInContext(code, page);
  const read = `(async () => {
    const events = [];
    for await (const event of protocol.createSpoorClient({ url }).subscribe("run_1")) events.push(event);
    return JSON.stringify(events);
  })()`;
  expect(JSON.parse(await vm.runInContext(read, page))).toEqual(run);
});

describe("a page that follows and folds runs", () => {
  const page = `
    import { createRunFold, envelopeTypes, isTerminalRunType } from "./index.ts";
    import { createSpoorClient } from "./client/index.ts";
    export { createRunFold, createSpoorClient, envelopeTypes, isTerminalRunType };`;

  test("loads no schema", async () => {
    expect(schemasAmong(await modulesOfPage(page))).toEqual([]);
  });

  test("is reported when it loads the catalog of the envelopes", async () => {
    const found = schemasAmong(await modulesOfPage(`export { isEnvelopeType } from "./index.ts";`));
    expect(found).toContain("envelope/catalog.ts");
    expect(found).toContain("schema.ts");
  });
});

const schemasAmong = (modules: readonly string[]): string[] =>
  modules.filter((id) => /typebox|^schema\.ts|^(agent-events|envelope)\/catalog\.ts/.test(id));

/** The modules that a page loads at its start: dynamic imports are not followed. */
async function modulesOfPage(source: string): Promise<string[]> {
  const entry = path.join(import.meta.dirname, "page-of-a-test.ts");
  const results = await build({
    configFile: false,
    logLevel: "silent",
    build: { write: false, minify: false, rolldownOptions: { input: entry, preserveEntrySignatures: "strict" } },
    plugins: [
      {
        name: "page",
        enforce: "pre",
        resolveId: (specifier) => (specifier === entry ? entry : null),
        load: (id) => (id === entry ? source : null),
      },
    ],
  });
  const [result] = [results].flat() as Rolldown.RolldownOutput[];
  const chunks = new Map(result?.output.flatMap((file) => (file.type === "chunk" ? [[file.fileName, file]] : [])));
  const atStart = (name: string): string[] => {
    const chunk = chunks.get(name);
    if (!chunk) return [];
    const used = Object.entries(chunk.modules).filter(([, { renderedLength }]) => renderedLength > 0);
    return [...used.map(([id]) => id), ...chunk.imports.flatMap(atStart)];
  };
  const first = [...chunks.values()].find(({ isEntry }) => isEntry);
  if (!first) throw new Error("The page has no entry.");
  return atStart(first.fileName).map((id) => path.relative(import.meta.dirname, id));
}

test.for(["node:fs", "path"])("a bundle that imports %s is detected", async (name) => {
  const folder = mkdtempSync(path.join(tmpdir(), "spoor-bundle-"));
  try {
    const entry = path.join(folder, "index.ts");
    writeFileSync(entry, `import * as wanted from "${name}"; export const names = Object.keys(wanted);`);
    const { builtins } = await bundleForBrowsers(entry);
    expect(builtins).toEqual([`${name}, imported by ${entry}`]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

async function bundleForBrowsers(entry: string) {
  const builtins: string[] = [];
  const results = await build({
    configFile: false,
    logLevel: "silent",
    resolve: { conditions: ["source", "module", "browser", "development|production"] },
    build: {
      write: false,
      minify: false,
      lib: { entry, formats: ["iife"], name: "protocol", fileName: "protocol" },
    },
    plugins: [
      {
        // Vite silently replaces a built-in module by an empty one, so built-in imports are collected before that.
        name: "note-builtins",
        enforce: "pre",
        resolveId(specifier, importer) {
          if (specifier.startsWith("node:") || builtinModules.includes(specifier)) {
            builtins.push(`${specifier}, imported by ${importer ?? "an unknown file"}`);
          }
          return null;
        },
      },
    ],
  });
  // There is one format and no watching, so there is one result, although the type allows more.
  const [result] = [results].flat() as Rolldown.RolldownOutput[];
  const [chunk, ...others] = result?.output ?? [];
  if (chunk?.type !== "chunk" || others.length > 0) throw new Error("The bundle should be one file.");
  return {
    code: chunk.code,
    imports: [...chunk.imports, ...chunk.dynamicImports].filter((name) => name !== chunk.fileName),
    builtins,
  };
}
