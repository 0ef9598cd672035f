import type { Adapter } from "../agents/machine.ts";
import { SpoorError } from "../failures/errors.ts";
import { nearest } from "./nearest.ts";

/** The adapter with this name, of a list or of a registry that may have grown since. */
export function findAgent(adapters: Iterable<Adapter>, name: string): Adapter {
  const all = [...adapters];
  const found = all.find((adapter) => adapter.name === name);
  if (found) return found;
  throw agentNotFound(
    name,
    all.map((adapter) => adapter.name),
  );
}

/** The one sentence for an agent that nobody knows. */
export function agentNotFound(name: string, known: readonly string[]): SpoorError {
  const close = nearest(name, known);
  const hint = close.length > 0 ? `Did you mean ${close.join(" or ")}?` : `Known: ${known.join(", ")}.`;
  return new SpoorError("AGENT_NOT_FOUND", `There is no agent "${name}". ${hint}`);
}
