import type { Adapter } from "../agents/machine.ts";
import { SpoorError } from "./errors.ts";

/** Of a list, or of a registry that may have grown since. */
export function findAgent(adapters: Iterable<Adapter>, name: string): Adapter {
  const all = [...adapters];
  const found = all.find((adapter) => adapter.name === name);
  if (found) return found;
  const known = all.map((adapter) => adapter.name).join(", ");
  throw new SpoorError("AGENT_NOT_FOUND", `No adapter named "${name}". Known: ${known}.`);
}
