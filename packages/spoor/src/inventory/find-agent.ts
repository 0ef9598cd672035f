import type { Adapter } from "../agents/machine.ts";
import { SpoorError } from "../failures/errors.ts";
import { nearest } from "./nearest-names.ts";

/** Returns the adapter with this name, or throws `AGENT_NOT_FOUND`. */
export function findAgent(adapters: Iterable<Adapter>, name: string): Adapter {
  const all = [...adapters];
  const found = all.find((adapter) => adapter.name === name);
  if (found) return found;
  throw agentNotFound(
    name,
    all.map((adapter) => adapter.name),
  );
}

/** The error for an unknown agent name, with suggestions for likely typos. */
export function agentNotFound(name: string, known: readonly string[]): SpoorError {
  const close = nearest(name, known);
  const hint = close.length > 0 ? `Did you mean ${close.join(" or ")}?` : `Known: ${known.join(", ")}.`;
  return new SpoorError("AGENT_NOT_FOUND", `There is no agent "${name}". ${hint}`);
}
