import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { root } from "./programs.ts";

/** Installs one version of a package, unless it is there already. Returns its folder `node_modules`. */
export function install(name: string, version: string): string {
  const folder = path.join(root, "node_modules/.cache/spoor-clients", `${name.replaceAll("/", "-")}-${version}`);
  const modules = path.join(folder, "node_modules");
  // npm writes this file at the end, so a cut installation is repeated.
  if (existsSync(path.join(modules, ".package-lock.json"))) return modules;
  console.log(`Installing ${name} ${version} …`);
  mkdirSync(folder, { recursive: true });
  const argv = ["install", "--prefix", folder, "--no-audit", "--no-fund", `${name}@${version}`];
  execFileSync("npm", argv, { cwd: folder, stdio: "inherit" });
  return modules;
}
