import type { Problem } from "../failures/errors.ts";

/** Validates a value. Returns one problem for each thing that is wrong; `field` is the path that the messages name. */
export interface Check {
  (value: unknown, field: string): Problem[];
  /** The TypeScript type of the values that pass, for the interfaces that `npm run generate` writes. */
  readonly type?: string;
  /** All values that pass, where they can be listed. */
  readonly values?: readonly unknown[];
}

/** A check that accepts what `isValid` accepts. The message of the problem says that the field must be `words`. */
export function expecting(words: string, isValid: (value: unknown) => boolean, type = "unknown"): Check {
  return typed(type, (value, field) => (isValid(value) ? [] : [unexpected(value, field, words)]));
}

/** Gives a check the name of a TypeScript type. */
export const typed = (type: string, check: (value: unknown, field: string) => Problem[]): Check =>
  Object.assign((value: unknown, field: string) => check(value, field), { type });

export const text = expecting(
  "text that is not empty",
  (value) => typeof value === "string" && value.trim() !== "",
  "string",
);
export const anyText = expecting("text", (value) => typeof value === "string", "string");
export const flag = expecting("true or false", (value) => typeof value === "boolean", "boolean");
export const callback = (type: string): Check => expecting("a function", (value) => typeof value === "function", type);

export function oneOf(...values: readonly unknown[]): Check {
  const literals = values.map((value) => JSON.stringify(value));
  const check = expecting(`one of ${literals.join(", ")}`, (value) => values.includes(value), literals.join(" | "));
  return Object.assign(check, { values });
}

export const whole = (least: number): Check =>
  expecting(
    `a whole number of at least ${least}`,
    (value) => typeof value === "number" && Number.isSafeInteger(value) && value >= least,
    "number",
  );

export const number = (least: number, most: number): Check =>
  expecting(
    `a number from ${least} to ${most}`,
    (value) => typeof value === "number" && value >= least && value <= most,
    "number",
  );

export const matching = (pattern: RegExp, words: string): Check =>
  expecting(words, (value) => typeof value === "string" && pattern.test(value), "string");

/** Accepts what one of two checks accepts. For any other value the problems of the second are reported. */
export const either = (first: Check, second: Check): Check =>
  typed(`${first.type} | ${second.type}`, (value, field) =>
    first(value, field).length === 0 ? [] : second(value, field),
  );

export const listOf = (check: Check, words = "a list"): Check =>
  typed(`readonly ${inParentheses(check.type)}[]`, (value, field) =>
    Array.isArray(value)
      ? value.flatMap((each, index) => check(each, `${field}[${index}]`))
      : [unexpected(value, field, words)],
  );

export const mapOf = (check: Check): Check =>
  typed(`Readonly<Record<string, ${check.type}>>`, (value, field) =>
    isObject(value)
      ? Object.entries(value).flatMap(([key, each]) => check(each, `${field}.${key}`))
      : [unexpected(value, field, "an object")],
  );

/** An object with these fields and no others, in which the fields of `required` must be present. */
export const objectOf =
  (checks: Readonly<Record<string, Check>>, required: readonly string[] = []): Check =>
  (value, field) => {
    if (!isObject(value)) return [unexpected(value, field, "an object")];
    const missing = required.filter((name) => value[name] === undefined);
    return [
      ...missing.map((name) => ({ field: `${field}.${name}`, message: `${field}.${name} is missing.` })),
      ...Object.entries(value).flatMap(([name, each]) => {
        const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
        if (!check) return [unknownField(`${field}.${name}`, Object.keys(checks))];
        return each === undefined ? [] : check(each, `${field}.${name}`);
      }),
    ];
  };

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

const inParentheses = (type = "unknown"): string => (type.includes(" | ") ? `(${type})` : type);
