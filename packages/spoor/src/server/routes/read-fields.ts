import { HttpError, type HttpErrorCode } from "../http/http-error.ts";

/** What a field of a body must be. */
export interface FieldKind<Value> {
  /** Completes "must be …". */
  readonly words: string;
  fits(value: unknown): value is Value;
}

const isText = (value: unknown): value is string => typeof value === "string";

export const text: FieldKind<string> = { words: "a text", fits: isText };

export const texts: FieldKind<string[]> = {
  words: "a list of texts",
  fits: (value): value is string[] => Array.isArray(value) && value.every(isText),
};

export const flag: FieldKind<boolean> = { words: "true or false", fits: (value) => typeof value === "boolean" };

export const whole: FieldKind<number> = {
  words: "a whole number",
  fits: (value): value is number => Number.isSafeInteger(value),
};

export const oneOf = <Choice extends string>(...choices: readonly Choice[]): FieldKind<Choice> => ({
  words: choices.join(" or "),
  fits: (value): value is Choice => choices.includes(value as Choice),
});

type Kinds = Readonly<Record<string, FieldKind<unknown>>>;
type Values<K extends Kinds> = { [Name in keyof K]: K[Name] extends FieldKind<infer Value> ? Value : never };

/**
 * Reads the fields of a body. Says which ones are missing, unknown or wrong. Returns them in the order of their kinds, so that
 * two bodies that say the same have the same hash.
 */
export function readFields<
  Required extends Kinds = Record<never, never>,
  Optional extends Kinds = Record<never, never>,
>(
  body: unknown,
  { required, optional, code = "invalid" }: { required?: Required; optional?: Optional; code?: HttpErrorCode },
): Values<Required> & Partial<Values<Optional>> {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new HttpError(code, "The body must be a JSON object.");
  }
  const given = body as Record<string, unknown>;
  const kinds: Kinds = { ...required, ...optional };
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(kinds, name));
  if (unknown !== undefined) {
    throw new HttpError(code, `\`${unknown.slice(0, 40)}\` is not a field: use ${Object.keys(kinds).join(", ")}.`);
  }
  for (const [name, { words, fits }] of Object.entries(kinds)) {
    const value = given[name];
    if (value !== undefined && !fits(value)) throw new HttpError(code, `\`${name}\` must be ${words}.`);
    if (value === undefined && Object.hasOwn(required ?? {}, name))
      throw new HttpError(code, `\`${name}\` is missing.`);
  }
  const present = Object.keys(kinds).filter((name) => given[name] !== undefined);
  return Object.fromEntries(present.map((name) => [name, given[name]])) as ReturnType<
    typeof readFields<Required, Optional>
  >;
}
