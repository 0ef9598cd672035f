import { median } from "../measure.ts";

/** The seconds (processor or wall time) that two sides took for the same work in one round. */
export interface Pair {
  ours: number;
  floor: number;
}

/** Our speed as a multiple of the other side's. The rounds alternate, so that a busy machine delays both sides equally. */
export const speed = (pairs: readonly Pair[]): number => median(pairs.map(({ ours, floor }) => floor / ours));

/** A rate per second, formatted for people. */
export const rate = (count: number, pairs: readonly Pair[], which: keyof Pair): string =>
  Math.round(count / median(pairs.map((pair) => pair[which]))).toLocaleString("en");

/** `30 against 20 things/s`. */
export const rates = (count: number, pairs: readonly Pair[], unit: string): string =>
  `${rate(count, pairs, "ours")} against ${rate(count, pairs, "floor")} ${unit}`;
