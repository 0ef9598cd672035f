/** How long to wait between attempts. */
export interface BackOff {
  /** The first wait, before jitter. Each further wait is twice as long. */
  baseMs: number;
  /** The longest wait. */
  capMs: number;
}

/** The waits of a client that sets no others. */
export const defaultBackOff: BackOff = { baseMs: 500, capMs: 30_000 };

/** Returns the wait after a number of failures in a row, with jitter, so that many clients do not retry at the same time. */
export function delayAfter(failures: number, { baseMs, capMs }: BackOff, random: number): number {
  const whole = Math.min(capMs, baseMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(whole * (0.5 + random / 2));
}
