import { envelopeTypes } from "@spoor/protocol";

/** What a text in the filter field asks for. */
interface TypeFilter {
  /** Types and beginnings such as `tool.*`, as the server takes them. */
  readonly types: readonly string[];
  /** What is worth saying about it, in sentences. */
  readonly notes: readonly string[];
}

const valid = /^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*\.([a-z0-9_]+|\*)$/;
const MOST = 200;

/** Reads `tool.*, turn.started`. A group alone, such as `tool`, means all its types. What cannot be a type is said and left out. */
export function readTypeFilter(text: string): TypeFilter {
  const words = [
    ...new Set(
      text
        .toLowerCase()
        .split(/[\s,]+/)
        .filter(Boolean),
    ),
  ].slice(0, MOST);
  const types: string[] = [];
  const notes: string[] = [];
  for (const word of words) {
    const type = /^[a-z][a-z0-9_]*$/.test(word) ? `${word}.*` : word;
    if (word === "*") continue;
    if (!valid.test(type)) {
      notes.push(`“${word.slice(0, 60)}” is not a type. Types look like tool.started, or tool.* for all of a group.`);
      continue;
    }
    types.push(type);
    const isKnown = type.endsWith(".*")
      ? envelopeTypes.some((known) => known.startsWith(type.slice(0, -1)))
      : envelopeTypes.some((known) => known === type);
    if (!isKnown)
      notes.push(`Spoor itself writes no “${type.slice(0, 60)}”. Only events of callers can have this type.`);
  }
  return { types, notes };
}
