import type { CostPoint, RunSpan } from "@spoor/protocol";

/** Whether the agent told its cost only when the work was done, so that its rise over time is not known. */
export function isKnownAtEnd(costs: readonly CostPoint[], spans: readonly RunSpan[], end: number | undefined): boolean {
  const [first] = costs;
  if (end === undefined || first === undefined) return false;
  const turns = spans.filter(({ kind }) => kind === "turn");
  const lastEnd = turns.reduce((latest, { to = end }) => Math.max(latest, to), 0);
  return turns.length > 1 ? first.at >= lastEnd : first.at >= end * 0.98;
}

/** Amounts for the lines of the cost lane: at most three round ones, not above the highest cost by much. */
export function costLines(most: number): number[] {
  if (!(most > 0)) return [];
  const size = 10 ** Math.floor(Math.log10(most));
  const step = [0.2, 0.5, 1, 2, 5, 10].map((by) => by * size).find((by) => most / by <= 2.6) ?? size;
  return [1, 2].map((by) => Math.round(by * step)).filter((line) => line <= most * 1.15 && line > 0);
}
