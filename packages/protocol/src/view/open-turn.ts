import { count } from "./payload-fields.ts";
import { add, type Draft } from "./view-draft.ts";

/**
 * Returns the index of a turn by its number, or of the latest turn without a number. Opens a turn whose start was not seen.
 * Returns undefined before the first turn.
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
