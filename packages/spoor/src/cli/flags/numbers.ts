import { ExitError } from "../exit-error.ts";

/** Reads the value of a flag that takes a whole number from `least` to `most`. Its error also names `others`, such as `now`. */
export function count(name: string, least = 1, most = Number.MAX_SAFE_INTEGER, others = ""): (text: string) => number {
  const range = most < Number.MAX_SAFE_INTEGER ? `from ${least} to ${most}` : `of at least ${least}`;
  return (text) => {
    const n = Number(text);
    if (text.trim() !== "" && Number.isSafeInteger(n) && n >= least && n <= most) return n;
    throw new ExitError(2, `${name} takes a whole number ${range}${others && `, or ${others}`}, not ${text}.`);
  };
}

/** Reads the value of a flag that takes an amount in US dollars. */
export function dollars(name: string): (text: string) => number {
  return (text) => {
    const amount = Number(/^\$?(\d+(?:\.\d+)?|\.\d+)$/.exec(text)?.[1] ?? Number.NaN);
    if (amount >= 0.000_001) return amount;
    throw new ExitError(2, `${name} takes an amount in US dollars, such as 2.50, not ${text}.`);
  };
}

/** Reads the value of a flag that takes a number followed by a unit. */
export function unit(name: string, units: Readonly<Record<string, number>>): (text: string) => number {
  return (text) => {
    const [, digits, letter = ""] = /^(\d+(?:\.\d+)?)([a-z])b?$/i.exec(text) ?? [];
    const factor = units[letter.toLowerCase()];
    if (digits !== undefined && factor !== undefined) return Math.round(Number(digits) * factor);
    throw new ExitError(
      2,
      `${name} takes a number with one of the units ${Object.keys(units).join(", ")}, such as 500m, not ${text}.`,
    );
  };
}
