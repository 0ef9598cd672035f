const ZERO = 48;

/** How many digits a whole number has. */
export function digitCount(value: number): number {
  let count = 1;
  for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) count += 1;
  return count;
}

/** Writes so many digits of a whole number; returns the offset after them. For a few bytes a call into the system costs more. */
export function writeDigits(target: Uint8Array, value: number, count: number, offset: number): number {
  let rest = value;
  for (let at = offset + count - 1; at >= offset; at--) {
    const higher = Math.floor(rest / 10);
    target[at] = ZERO + (rest - higher * 10);
    rest = higher;
  }
  return offset + count;
}
