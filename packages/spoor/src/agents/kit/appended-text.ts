import type { Signal } from "../signal.ts";

/**
 * Returns what was appended to a text since it was last shown. An agent that shows only the end of a long text drops
 * its beginning, so the part that both texts share is skipped.
 *
 * @example
 * appendedText("12", "1234"); // "34"
 * appendedText("1234", "3456"); // "56", since the agent dropped "12"
 */
export function appendedText(before: string, now: string): string {
  if (now.startsWith(before)) return now.slice(before.length);
  return now.slice(overlap(before, now));
}

/** Length of the longest suffix of `ending` that is a prefix of `beginning` (Knuth, Morris and Pratt). */
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

/**
 * Returns the new part of a text that is sent as a whole each time; empty if the earlier text was rewritten or cut off.
 */
export const textAfterPrefix = (received: string, whole: string): string =>
  whole.startsWith(received) ? whole.slice(received.length) : "";

/** Reports the new part of a command's output, and remembers what was reported. */
export function newOutputSignals(call: { id: string; reported: string }, whole: string): Signal[] {
  const text = textAfterPrefix(call.reported, whole);
  if (text === "") return [];
  call.reported = whole;
  return [{ kind: "output", id: call.id, stream: "stdout", text }];
}
