/** How long to wait between attempts, in milliseconds. */
export interface BackOff {
  /** The first wait. Each further one is twice as long. */
  first: number;
  longest: number;
}

/** The wait after this many failures in a row. `random` (0 to 1) shortens it by up to a half, so that many do not retry together. */
export function delayAfter(failures: number, { first, longest }: BackOff, random: number): number {
  return Math.round(Math.min(longest, first * 2 ** Math.min(failures - 1, 40)) * (1 - random / 2));
}
