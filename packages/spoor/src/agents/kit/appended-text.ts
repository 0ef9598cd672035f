import type { Signal } from "../signal.ts";

/**
 * What a text grew by since it was last shown. An agent that shows only the end of a long text drops its beginning: what
 * the two have in common was shown.
 */
export function appendedText(before: string, now: string): string {
  if (now.startsWith(before)) return now.slice(before.length);
  return now.slice(overlap(before, now));
}

/** Length of the longest end of one text that begins the other (Knuth, Morris and Pratt). */
function overlap(ending: string, beginning: string): number {
  const borders = new Uint32Array(beginning.length);
  const extend = (length: number, character: string): number => {
    let matched = length;
    while (matched > 0 && (matched === beginning.length || beginning[matched] !== character)) {
      matched = borders[matched - 1] ?? 0;
    }
    return beginning[matched] === character ? matched + 1 : matched;
  };
  for (let at = 1; at < beginning.length; at++) {
    borders[at] = extend(borders[at - 1] ?? 0, beginning[at] as string);
  }
  let matched = 0;
  for (const character of ending.slice(-beginning.length).split("")) matched = extend(matched, character);
  return matched;
}

/** What is new in a text that is told as a whole each time; nothing where its beginning was rewritten or cut off. */
export const textAfterPrefix = (told: string, whole: string): string =>
  whole.startsWith(told) ? whole.slice(told.length) : "";

/** The same of what a command prints, as far as it was told. */
export function newOutputSignals(call: { id: string; reported: string }, whole: string): Signal[] {
  const text = textAfterPrefix(call.reported, whole);
  if (text === "") return [];
  call.reported = whole;
  return [{ kind: "output", id: call.id, stream: "stdout", text }];
}
