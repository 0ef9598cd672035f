import { asArray, asObject, asText, type Json } from "../json-machine.ts";
import type { Signal } from "../signal.ts";

const NAME = "subagent";

/** States in which a subagent does nothing any more, and whether it then has done its work. */
const isDone: Record<string, boolean> = { completed: true, errored: false, shutdown: false, notFound: false };

/** `spawnAgent` and `spawn_agent` are the same tool on the two wires. */
export const collabName = (item: Json): string =>
  (asText(item.tool) ?? "unknown").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export function collabInput({ prompt, receiverThreadIds, model, reasoningEffort }: Json): Json {
  return Object.fromEntries(
    Object.entries({ prompt, receiverThreadIds, model, reasoningEffort }).filter(
      ([, value]) => value !== null && value !== undefined && value !== "" && !(Array.isArray(value) && !value.length),
    ),
  );
}

/** A call that spawned names the new thread once it is done; any call tells how the agents it names are. */
export function collabEnd(item: Json): Signal[] {
  const spawned = collabName(item) === "spawn_agent" && item.status !== "failed" ? asArray(item.receiverThreadIds) : [];
  const prompt = asText(item.prompt) ?? "";
  const spawns = spawned.flatMap((id): Signal[] => {
    const thread = asText(id);
    return thread ? [{ kind: "spawn", id: thread, name: NAME, prompt }] : [];
  });
  const ends = Object.entries(asObject(item.agentsStates) ?? {}).flatMap(([id, state]) => {
    const status = (asText(asObject(state)?.status) ?? "").replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
    const message = asText(asObject(state)?.message);
    if (isDone[status] === undefined) return [];
    return [spawnEnd(id, message, isDone[status] ? undefined : (message ?? `The subagent is ${status}.`))];
  });
  return [...spawns, ...ends];
}

export function spawnEnd(id: string, summary: string | undefined, error: string | undefined): Signal {
  if (error !== undefined) return { kind: "spawnEnd", id, error };
  return { kind: "spawnEnd", id, ...(summary !== undefined && { summary }) };
}
