import { asObject, asText, asTexts, type Json } from "../../kit/json-values.ts";
import { lookUp } from "../../kit/look-up.ts";
import { spawnEndSignal } from "../../kit/tool-calls.ts";
import type { Signal } from "../../signal.ts";

/** The final states of a subagent, and whether each means success. */
const isDone: Readonly<Record<string, boolean>> = { completed: true, errored: false, shutdown: false, notFound: false };

/** The tool is called `spawnAgent` in one dialect and `spawn_agent` in the other. */
export const collabName = (item: Json): string =>
  (asText(item.tool) ?? "unknown").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The input without empty fields. */
export function collabInput({ prompt, receiverThreadIds, model, reasoningEffort }: Json): Json {
  const fields = Object.entries({ prompt, receiverThreadIds, model, reasoningEffort });
  return Object.fromEntries(fields.filter(([, value]) => `${value ?? ""}` !== ""));
}

/**
 * A call that spawned a subagent names its thread at the end. Every call reports the states of the agents that it
 * names.
 */
export function collabEnd(item: Json): Signal[] {
  const hasSpawned = collabName(item) === "spawn_agent" && item.status !== "failed";
  const spawned = hasSpawned ? asTexts(item.receiverThreadIds) : [];
  const prompt = asText(item.prompt) ?? "";
  const ends = Object.entries(asObject(item.agentsStates) ?? {}).flatMap(([id, state]) => {
    const reported = asObject(state) ?? {};
    const status = (asText(reported.status) ?? "").replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
    const message = asText(reported.message);
    const isWell = lookUp(isDone, status);
    if (isWell === undefined) return [];
    return [spawnEndSignal(id, message, isWell ? undefined : (message ?? `The subagent is ${status}.`))];
  });
  return [...spawned.map((id): Signal => ({ kind: "spawn", id, name: "subagent", prompt })), ...ends];
}
