import type { Problem } from "../failures/errors.ts";

/** What is wrong with a value, if anything. `field` is the way to it. */
export type Check = (value: unknown, field: string) => Problem[];

export const text = expecting("text that is not empty", (value) => typeof value === "string" && value.trim() !== "");
export const flag = expecting("true or false", (value) => typeof value === "boolean");
export const callback = expecting("a function", (value) => typeof value === "function");

export const oneOf = (...values: readonly unknown[]): Check =>
  expecting(`one of ${values.map((value) => JSON.stringify(value)).join(", ")}`, (value) => values.includes(value));

export const whole = (least: number): Check =>
  expecting(
    `a whole number of at least ${least}`,
    (value) => typeof value === "number" && Number.isSafeInteger(value) && value >= least,
  );

export const number = (least: number, most: number): Check =>
  expecting(
    `a number from ${least} to ${most}`,
    (value) => typeof value === "number" && value >= least && value <= most,
  );

export const matching = (pattern: RegExp, words: string): Check =>
  expecting(words, (value) => typeof value === "string" && pattern.test(value));

/** Fine for one of two; else it is as the second says. */
export const either =
  (first: Check, second: Check): Check =>
  (value, field) =>
    first(value, field).length === 0 ? [] : second(value, field);

export const listOf =
  (check: Check, words = "a list"): Check =>
  (value, field) =>
    Array.isArray(value)
      ? value.flatMap((each, index) => check(each, `${field}[${index}]`))
      : [unexpected(value, field, words)];

export const mapOf =
  (check: Check): Check =>
  (value, field) =>
    isObject(value)
      ? Object.entries(value).flatMap(([key, each]) => check(each, `${field}.${key}`))
      : [unexpected(value, field, "an object")];

/** An object of these fields and no others; `needs` are those it must have. */
export const objectOf =
  (checks: Readonly<Record<string, Check>>, needs: readonly string[] = []): Check =>
  (value, field) => {
    if (!isObject(value)) return [unexpected(value, field, "an object")];
    const missing = needs.filter((name) => value[name] === undefined);
    return [
      ...missing.map((name) => ({ field: `${field}.${name}`, message: `${field}.${name} is missing.` })),
      ...Object.entries(value).flatMap(([name, each]) => {
        const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
        if (!check) return [unknownField(`${field}.${name}`, Object.keys(checks))];
        return each === undefined ? [] : check(each, `${field}.${name}`);
      }),
    ];
  };

export function expecting(words: string, isFine: (value: unknown) => boolean): Check {
  return (value, field) => (isFine(value) ? [] : [unexpected(value, field, words)]);
}

export const unexpected = (value: unknown, field: string, words: string): Problem => ({
  field,
  message: `${field} must be ${words}, not ${shown(value)}.`,
});

export const unknownField = (field: string, known: readonly string[]): Problem => ({
  field,
  message: `${field} is not known. Known: ${known.join(", ")}.`,
});

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function shown(value: unknown): string {
  const written = typeof value === "function" ? "a function" : (JSON.stringify(value) ?? String(value));
  return written.length > 80 ? `${written.slice(0, 80)}…` : written;
}
