import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Cli } from "./clis.ts";

/** Kept out of the repository and of the pinned programs' way. */
const cache = join(import.meta.dirname, "../node_modules/.cache/spoor-conformance");

/** Installs the newest published version of an agent in a folder of its own, and says where and which, if it can be. */
export function installLatest(cli: Cli): { modules: string; version: string } | undefined {
  const folder = join(cache, cli.name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: `latest-${cli.name}`, private: true }));
  const name = packageOf(cli);
  const args = ["install", "--no-audit", "--no-fund", `${name}@latest`];
  if (spawnSync("npm", args, { cwd: folder, stdio: "inherit" }).status !== 0) return undefined;
  const modules = join(folder, "node_modules");
  return { modules, version: JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8")).version };
}

/** The package to install an agent by, at the version that is pinned. */
export function pinnedVersion(cli: Cli): string {
  return dependencies()[packageOf(cli)] ?? "unknown";
}

/** Programs may lie in packages for one platform, whose names begin like that of the whole. */
function packageOf({ name, program, package: named }: Cli): string {
  const found = named ?? Object.keys(dependencies()).find((dependency) => program.startsWith(dependency));
  if (found === undefined) throw new Error(`No package in conformance/package.json provides ${name}.`);
  return found;
}

const dependencies = (): Record<string, string> =>
  JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8")).dependencies;
