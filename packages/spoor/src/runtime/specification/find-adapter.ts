import type { Adapter } from "../../agents/machine.ts";
import { loadAdapter } from "../../inventory/load-adapter.ts";

/** The adapter of an agent. Throws an error that lists the known agents if there is none. */
export async function findAdapter(name: string): Promise<Adapter> {
  const adapter = await loadAdapter(name);
  if (adapter) return adapter;
  const [{ adapters }, { findAgent }] = await Promise.all([
    import("../../agents/registry.ts"),
    import("../../inventory/find-agent.ts"),
  ]);
  return findAgent(adapters, name);
}
