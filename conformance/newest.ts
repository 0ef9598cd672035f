import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Cli } from "./cli.ts";

/** Outside the repository and apart from the pinned programs. */
const CACHE = join(import.meta.dirname, "../node_modules/.cache/spoor-conformance");
const manifest = new URL("package.json", import.meta.url);

export interface Installed {
  /** The folder that contains the programs. */
  modules: string;
  version: string;
  /**
   * Whether npm could install it with all dependencies. If not, it is the package alone, which is enough for a bundle.
   */
  isWhole: boolean;
}

/** The newest published version, if the registry answers. */
export async function newestVersion(cli: Cli): Promise<string | undefined> {
  const { code, stdout } = await run("npm", ["view", packageOf(cli), "version"]);
  return code === 0 ? stdout.trim().split("\n").at(-1) : undefined;
}

/** Installs a version of an agent in its own folder below `cache`, with its dependencies if possible, or else alone. */
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

/** Unpacks the published package without its dependencies. */
async function unpack(cli: Cli, version: string, folder: string): Promise<boolean> {
  const name = packageOf(cli);
  const packed = await run("npm", ["pack", "--silent", `${name}@${version}`], folder);
  const file = packed.stdout.trim().split("\n").at(-1);
  if (packed.code !== 0 || !file || (await run("tar", ["-xzf", file], folder)).code !== 0) return false;
  cpSync(join(folder, "package"), join(folder, "node_modules", name), { recursive: true });
  return true;
}

/** Passes its standard error on to the user, who waits for it. */
async function run(command: string, args: readonly string[], cwd?: string): Promise<{ code: number; stdout: string }> {
  const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "inherit"] });
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  return { code: code ?? 1, stdout };
}

/** Pins a version in package.json, the lock file and conformance/node_modules. */
export function pin(cli: Cli, version: string): void {
  const text = readFileSync(manifest, "utf8");
  writeFileSync(
    manifest,
    text.replace(`"${packageOf(cli)}": "${pinnedVersion(cli)}"`, `"${packageOf(cli)}": "${version}"`),
  );
  execFileSync("npm", ["install", "--no-audit", "--no-fund"], { cwd: import.meta.dirname, stdio: "inherit" });
}

/** The pinned version. */
export function pinnedVersion(cli: Cli): string {
  return dependencies()[packageOf(cli)] ?? "unknown";
}

/** The runtime of the script is a package too. */
function runtimeOf({ runtime }: Cli): string[] {
  const name = Object.keys(dependencies()).find((dependency) => runtime?.startsWith(`${dependency}/`));
  return name === undefined ? [] : [`${name}@${dependencies()[name]}`];
}

/** Programs may be in packages for one platform, whose names begin with that of the main package. */
export function packageOf({ name, program, package: named }: Cli): string {
  const found = named ?? Object.keys(dependencies()).find((dependency) => program.startsWith(dependency));
  if (found === undefined) throw new Error(`No package in conformance/package.json provides ${name}.`);
  return found;
}

const dependencies = (): Record<string, string> => JSON.parse(readFileSync(manifest, "utf8")).dependencies;
