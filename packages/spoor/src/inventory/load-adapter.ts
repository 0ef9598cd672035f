import type { Adapter } from "../agents/machine.ts";

/**
 * One agent, without loading all the others first, which would take longer than some agents take to start. Its folder
 * has its name, and exports it under that; the few that have no folder of their own are found in the registry.
 */
export async function loadAdapter(name: string): Promise<Adapter | undefined> {
  if (/^[a-z]+$/.test(name)) {
    // What keeps a folder that is there from loading is told by the registry, which loads it again.
    const folder = await import(`../agents/${name}/index.ts`).catch(() => undefined);
    if (folder) return folder[name];
  }
  const { findAdapter } = await import("../agents/registry.ts");
  return findAdapter(name);
}
