export interface BackOff {
  /** The first wait, before chance; each further one is twice as long. */
  baseMs: number;
  /** No wait is longer. */
  capMs: number;
}

export const defaultBackOff: BackOff = { baseMs: 500, capMs: 30_000 };

/** How long to wait after so many failures in a row: between a half and the whole, so that clients do not come in step. */
export function delayAfter(failures: number, { baseMs, capMs }: BackOff, random: number): number {
  const whole = Math.min(capMs, baseMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(whole * (0.5 + random / 2));
}
