import type { Envelope } from "./envelope.ts";

/** Names that moved upstream since the protocol was written down. Ours are the old ones; both are read. */
const typeAliases = new Map([
  ["model.call.started", "turn.started"],
  ["model.call.completed", "turn.completed"],
  ["model.call.failed", "turn.failed"],
]);
const fieldAliases = [
  ["model_call_index", "turn_index"],
  ["model_call_count", "turns"],
] as const;

/** The envelope under the names of our catalog; itself when nothing moved. */
export function canonical(envelope: Envelope): Envelope {
  const type = typeAliases.get(envelope.type) ?? envelope.type;
  const moved = fieldAliases.filter(([name]) => Object.hasOwn(envelope.data, name));
  if (type === envelope.type && moved.length === 0) return envelope;
  const data = { ...envelope.data };
  for (const [name, ours] of moved) {
    data[ours] ??= data[name];
    delete data[name];
  }
  return { ...envelope, type, data };
}
