import { median } from "../measure.ts";

/** How long two took for the same in one round: in seconds, of a processor or of the clock. */
export interface Pair {
  ours: number;
  floor: number;
}

/** How many times as fast ours is; of rounds in turn, so that a busy machine holds up both alike. */
export const speed = (pairs: readonly Pair[]): number => median(pairs.map(({ ours, floor }) => floor / ours));

/** So many in a second, for people. */
export const rate = (count: number, pairs: readonly Pair[], which: keyof Pair): string =>
  Math.round(count / median(pairs.map((pair) => pair[which]))).toLocaleString("en");

/** `30 against 20 things/s`. */
export const rates = (count: number, pairs: readonly Pair[], unit: string): string =>
  `${rate(count, pairs, "ours")} against ${rate(count, pairs, "floor")} ${unit}`;
