import { count } from "./payload-fields.ts";
import { add, type Draft } from "./view-draft.ts";

/**
 * The index of a turn by its number, or of the latest when the number is not told. A turn whose start was not seen is
 * opened; before the first there is none.
 */
export function turnAt(draft: Draft, turnIndex: unknown): number | undefined {
  const number = turnNumber(draft, turnIndex);
  return draft.lookup.turns.get(number) ?? (number === 0 ? undefined : openTurn(draft, number));
}

export const turnNumber = ({ run }: Draft, turnIndex: unknown): number => count(turnIndex) ?? run.turn;

export function openTurn(draft: Draft, number: number): number {
  const at = add(draft, "turns", { number, status: "open", usage: {}, toolCallIds: [] });
  draft.lookup.turns.set(number, at);
  draft.run.turn = number;
  return at;
}
