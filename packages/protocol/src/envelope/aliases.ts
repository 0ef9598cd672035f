import type { Envelope } from "./envelope.ts";

/** Names that the source protocol has changed since. We write the old names and read both. */
const typeAliases = new Map([
  ["model.call.started", "turn.started"],
  ["model.call.completed", "turn.completed"],
  ["model.call.failed", "turn.failed"],
]);
const fieldAliases = [
  ["model_call_index", "turn_index"],
  ["model_call_count", "turns"],
] as const;

/**
 * Returns the envelope with the names of our catalog: types and fields that other writers name differently are renamed.
 * Returns the same object when nothing changes.
 */
export function canonical(envelope: Envelope): Envelope {
  const type = typeAliases.get(envelope.type) ?? envelope.type;
  const renamed = fieldAliases.filter(([name]) => Object.hasOwn(envelope.data, name));
  if (type === envelope.type && renamed.length === 0) return envelope;
  const data = { ...envelope.data };
  for (const [name, ours] of renamed) {
    data[ours] ??= data[name];
    delete data[name];
  }
  return { ...envelope, type, data };
}
