import type { Row } from "./row-types.ts";

/** A place where the keys J and K stop: a row, or a card in it. */
export interface Stop {
  readonly row: number;
  readonly key: string;
  /** The card; absent if the stop is the whole row. */
  readonly card?: string;
}

/** The stops of a conversation in their order. Lines of turns are passed; `[` and `]` stop there. */
export function stopsOf(rows: readonly Row[]): Stop[] {
  return rows.flatMap((row, index): Stop[] => {
    if (row.kind === "turn" || row.kind === "note") return [];
    if (row.kind !== "cards") return [{ row: index, key: row.key }];
    return row.cards.map(({ key }) => ({ row: index, key: row.key, card: key }));
  });
}

/** The stop after or before another one. Without one, it is the first after, or the last before, a row. */
export function nextStop(stops: readonly Stop[], from: Stop | undefined, row: number, step: 1 | -1): Stop | undefined {
  const at = from ? stops.findIndex(({ key, card }) => key === from.key && card === from.card) : -1;
  if (at !== -1) return stops[at + step];
  return step === 1 ? stops.find((stop) => stop.row >= row) : stops.findLast((stop) => stop.row < row);
}

/** The row of the next or previous turn. */
export function nextTurn(rows: readonly Row[], row: number, step: 1 | -1): number {
  for (let index = row + step; index >= 0 && index < rows.length; index += step) {
    if (rows[index]?.kind === "turn") return index;
  }
  return -1;
}
