import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Cli } from "./clis.ts";

/** Kept out of the repository and of the pinned programs' way. */
const CACHE = join(import.meta.dirname, "../node_modules/.cache/spoor-conformance");
const manifest = new URL("package.json", import.meta.url);

export interface Installed {
  /** The folder that has the programs. */
  modules: string;
  version: string;
  /** Whether npm could install it with all it depends on. Else it is its package alone, which a bundle runs from. */
  isWhole: boolean;
}

/** The newest published version, if the registry tells. */
export async function newestVersion(cli: Cli): Promise<string | undefined> {
  const { code, stdout } = await run("npm", ["view", packageOf(cli), "version"]);
  return code === 0 ? stdout.trim().split("\n").at(-1) : undefined;
}

/**
 * Installs a version of an agent in a folder of its own below `cache`, with all it depends on if that can be had, else
 * alone.
 */
export async function install(cli: Cli, version: string, cache = CACHE): Promise<Installed | undefined> {
  const folder = join(cache, cli.name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: `newest-${cli.name}`, private: true }));
  const modules = join(folder, "node_modules");
  const wanted = [`${packageOf(cli)}@${version}`, ...runtimeOf(cli)];
  const { code } = await run("npm", ["install", "--no-audit", "--no-fund", ...wanted], folder);
  if (code === 0) return { modules, version, isWhole: true };
  return (await unpack(cli, version, folder)) ? { modules, version, isWhole: false } : undefined;
}

/** Takes the package as it was published, and nothing it depends on. */
async function unpack(cli: Cli, version: string, folder: string): Promise<boolean> {
  const name = packageOf(cli);
  const packed = await run("npm", ["pack", "--silent", `${name}@${version}`], folder);
  const file = packed.stdout.trim().split("\n").at(-1);
  if (packed.code !== 0 || !file || (await run("tar", ["-xzf", file], folder)).code !== 0) return false;
  cpSync(join(folder, "package"), join(folder, "node_modules", name), { recursive: true });
  return true;
}

/** What it says on standard error is for whoever waits. */
async function run(command: string, args: readonly string[], cwd?: string): Promise<{ code: number; stdout: string }> {
  const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "inherit"] });
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  return { code: code ?? 1, stdout };
}

/** Makes a version the pinned one: in package.json, the lock file and conformance/node_modules. */
export function pin(cli: Cli, version: string): void {
  const text = readFileSync(manifest, "utf8");
  writeFileSync(
    manifest,
    text.replace(`"${packageOf(cli)}": "${pinnedVersion(cli)}"`, `"${packageOf(cli)}": "${version}"`),
  );
  execFileSync("npm", ["install", "--no-audit", "--no-fund"], { cwd: import.meta.dirname, stdio: "inherit" });
}

/** The version that is pinned. */
export function pinnedVersion(cli: Cli): string {
  return dependencies()[packageOf(cli)] ?? "unknown";
}

/** What runs the script is a package, too. */
function runtimeOf({ runtime }: Cli): string[] {
  const name = Object.keys(dependencies()).find((dependency) => runtime?.startsWith(`${dependency}/`));
  return name === undefined ? [] : [`${name}@${dependencies()[name]}`];
}

/** Programs may lie in packages for one platform, whose names begin like that of the whole. */
export function packageOf({ name, program, package: named }: Cli): string {
  const found = named ?? Object.keys(dependencies()).find((dependency) => program.startsWith(dependency));
  if (found === undefined) throw new Error(`No package in conformance/package.json provides ${name}.`);
  return found;
}

const dependencies = (): Record<string, string> => JSON.parse(readFileSync(manifest, "utf8")).dependencies;
