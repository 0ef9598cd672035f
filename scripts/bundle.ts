import { cpSync, readdirSync } from "node:fs";
import path from "node:path";
import { build, type Plugin } from "vite";

const source = path.join(import.meta.dirname, "../packages/spoor/src");

/** One file holds everything that a run loads: the command line, every adapter, and the recorder. */
const loadedTogether = {
  main: ["cli/main.ts"],
  run: ["cli/actions/run.ts", ...sharedByAgents()],
  record: ["cli/running/command-recording.ts"],
};

/**
 * Builds the command for publishing: a few files instead of hundreds, because opening files takes most of the start time.
 * All files are in one folder two levels below the package, so that the code finds files beside itself and in the package.
 */
export async function bundleCommand(folder: string): Promise<void> {
  const graph = new Map<string, readonly string[]>();
  await build({
    configFile: false,
    root: path.dirname(source),
    logLevel: "error",
    plugins: [lazyBuiltIns, { name: "graph", moduleParsed: ({ id, importedIds }) => void graph.set(id, importedIds) }],
    ssr: { noExternal: true, resolve: { conditions: ["spoor-source", "node", "import", "default"] } },
    build: {
      ssr: true,
      target: "node22",
      minify: true,
      outDir: folder,
      emptyOutDir: true,
      license: { fileName: "licenses.md" },
      rolldownOptions: {
        input: ["cli/main.ts", "log/sqlite/checkpoint-worker.ts", "loop/tools/tool-thread.ts"].map((file) =>
          path.join(source, file),
        ),
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
  for (const name of ["web-tree-sitter", "tree-sitter-bash"]) copyWasm(name, folder);
}

/** Copies the WebAssembly file of a package into a folder of published code. */
export function copyWasm(name: string, folder: string): void {
  const file = `${name}.wasm`;
  cpSync(path.join(source, "../../../node_modules", name, file), path.join(folder, file));
}

/** Writes the command into its own folder, as in an installation. Returns the file to start. */
export async function installCommand(folder: string): Promise<string> {
  for (const name of ["bin", "package.json"]) {
    cpSync(path.join(source, "..", name), path.join(folder, name), { recursive: true });
  }
  await bundleCommand(path.join(folder, "dist/bundle"));
  return path.join(folder, "bin/spoor.js");
}

/**
 * Importing a Node module reads all of its exports, and reading some of them loads further modules: `fs` loads `readline`,
 * and `util` loads an argument parser. That takes a third of the time until an agent starts. This form of import reads only
 * the exports that are used.
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

/** Bundlers prefix the names of virtual modules with this character. */
const MARK = "\0built-in:";

/** Returns whether these modules import a module statically. Call it once all modules are known. */
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
