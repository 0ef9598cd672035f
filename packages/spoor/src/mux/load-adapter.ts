import { existsSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Adapter } from "../agents/machine.ts";

/**
 * One agent, without loading all the others first, which would take longer than some agents take to start. Its folder
 * has its name, and exports it under that; the few that have no folder of their own are found in the registry.
 */
export async function loadAdapter(name: string): Promise<Adapter | undefined> {
  const file = new URL(`../agents/${name}/index${extname(import.meta.url)}`, import.meta.url);
  if (/^[a-z]+$/.test(name) && existsSync(fileURLToPath(file))) return (await import(file.href))[name];
  const { findAdapter } = await import("../agents/registry.ts");
  return findAdapter(name);
}
