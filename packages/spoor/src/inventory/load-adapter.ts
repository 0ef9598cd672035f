import type { Adapter } from "../agents/machine.ts";

/**
 * Loads one adapter without the others, because loading all takes longer than some agents take to start. An agent's folder
 * and its export both have the agent's name; adapters without their own folder are found in the registry.
 */
export async function loadAdapter(name: string): Promise<Adapter | undefined> {
  if (/^[a-z]+$/.test(name)) {
    // If an existing folder fails to load, the registry below imports it again and throws the error.
    const folder = await import(`../agents/${name}/index.ts`).catch(() => undefined);
    if (folder) return folder[name];
  }
  const { findAdapter } = await import("../agents/registry.ts");
  return findAdapter(name);
}
