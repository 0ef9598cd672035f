import { cpSync, readdirSync } from "node:fs";
import path from "node:path";
import { build, type Plugin } from "vite";

const source = path.join(import.meta.dirname, "../packages/spoor/src");

/** What is loaded at once is one file: to parse the command line, to run an agent of whatever kind, and to record it. */
const loadedTogether = {
  main: ["cli/main.ts"],
  run: ["cli/actions/run.ts", ...sharedByAgents()],
  record: ["cli/running/recording.ts"],
};

/**
 * The command as it is published: few files instead of hundreds, for most of the time it takes to start goes into
 * opening them. Everything lies in one folder, two below the package, where the code finds what it looks for beside
 * itself or in the package.
 */
export async function bundleCommand(folder: string): Promise<void> {
  const graph = new Map<string, readonly string[]>();
  await build({
    configFile: false,
    root: path.dirname(source),
    logLevel: "error",
    plugins: [lazyBuiltIns, { name: "graph", moduleParsed: ({ id, importedIds }) => void graph.set(id, importedIds) }],
    ssr: { noExternal: true, resolve: { conditions: ["source", "node", "import", "default"] } },
    build: {
      ssr: true,
      target: "node22",
      minify: true,
      outDir: folder,
      emptyOutDir: true,
      license: { fileName: "licenses.md" },
      rolldownOptions: {
        input: ["cli/main.ts", "log/sqlite/checkpoint-worker.ts"].map((file) => path.join(source, file)),
        preserveEntrySignatures: "allow-extension",
        output: {
          chunkFileNames: "[name]-[hash].js",
          codeSplitting: {
            includeDependenciesRecursively: false,
            groups: Object.entries(loadedTogether).map(([name, files]) => ({ name, test: closureOf(graph, files) })),
          },
        },
      },
    },
  });
  cpSync(path.join(source, "log/sqlite/migrations"), path.join(folder, "migrations"), { recursive: true });
}

/** The command in a folder of its own, as an installation has it. Gives the file to start. */
export async function installCommand(folder: string): Promise<string> {
  for (const name of ["bin", "package.json"]) {
    cpSync(path.join(source, "..", name), path.join(folder, name), { recursive: true });
  }
  await bundleCommand(path.join(folder, "dist/bundle"));
  return path.join(folder, "bin/spoor.js");
}

/**
 * Importing a module of Node's reads everything it exports, and some of that loads further modules when it is read, so
 * that `fs` brings `readline` and `util` a parser of arguments: a third of the time until an agent is started. Asked
 * for this way, only what is used is read.
 */
const lazyBuiltIns: Plugin = {
  name: "lazy-built-ins",
  enforce: "pre",
  resolveId: (id) => (id.startsWith("node:") ? `${MARK}${id}` : undefined),
  load(id) {
    if (!id.startsWith(MARK)) return undefined;
    const name = id.slice(MARK.length);
    const exported = Object.keys(process.getBuiltinModule(name) ?? {}).filter((key) => /^[a-zA-Z]\w*$/.test(key));
    const declared = exported.map((key) => `const ${key}_ = /* @__PURE__ */ (() => all.${key})();`);
    const listed = exported.map((key) => `${key}_ as ${key}`).join(", ");
    const all = `const all = process.getBuiltinModule(${JSON.stringify(name)});`;
    return { code: [all, ...declared, `export { all as default, ${listed} };`].join("\n"), moduleSideEffects: false };
  },
};

/** What is no file is named so, by an agreement among bundlers. */
const MARK = "\0built-in:";

/** Whether a module is loaded with these, as far as they do not ask for it later. Asked once all modules are known. */
function closureOf(graph: ReadonlyMap<string, readonly string[]>, files: readonly string[]): (id: string) => boolean {
  const found = new Set<string>();
  const add = (id: string): void => {
    if (found.has(id)) return;
    found.add(id);
    for (const next of graph.get(id) ?? []) add(next);
  };
  return (id) => {
    for (const file of files) add(path.join(source, file));
    return found.has(id);
  };
}

function sharedByAgents(): string[] {
  const names = readdirSync(path.join(source, "agents")).filter((name) => /^(?!registry)[\w-]+\.ts$/.test(name));
  return names.map((name) => `agents/${name}`);
}
