import { ExitError } from "../exit-error.ts";
import { visible } from "../visible.ts";

/** Reads an option that takes a whole number, from `least` on. */
export function count(name: string, least = 1): (text: string) => number {
  return (text) => {
    const n = Number(text);
    if (Number.isSafeInteger(n) && n >= least) return n;
    throw new ExitError(2, `${name} takes a whole number from ${least} on, not ${visible(text)}.`);
  };
}
