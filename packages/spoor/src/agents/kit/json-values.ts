/** A JSON object as an agent sent it: any field may be missing or have another type. */
export type Json = { readonly [name: string]: unknown };

/**
 * Parses a JSON object; undefined for any other text.
 *
 * @example
 * parseObject('{"id":1}'); // { id: 1 }
 * parseObject("Loading …"); // undefined
 */
export function parseObject(text: string): Json | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * The value if it is an object and no list.
 *
 * @example
 * asObject({ id: 1 }); // { id: 1 }
 * asObject([1]); // undefined
 */
export const asObject = (value: unknown): Json | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;

/**
 * The value if it is a list, or else an empty list.
 *
 * @example
 * asArray([1, 2]); // [1, 2]
 * asArray("none"); // []
 */
export const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/**
 * The items of a list as objects; an item that is no object becomes an empty one.
 *
 * @example
 * asObjects([{ id: 1 }, "none"]); // [{ id: 1 }, {}]
 */
export const asObjects = (value: unknown): readonly Json[] => asArray(value).map((item) => asObject(item) ?? {});

/**
 * The non-empty strings of a list.
 *
 * @example
 * asTexts(["one", "", 2]); // ["one"]
 */
export const asTexts = (value: unknown): readonly string[] => asArray(value).flatMap((item) => asText(item) || []);

/**
 * The value if it is a string.
 *
 * @example
 * asText("one"); // "one"
 * asText(1); // undefined
 */
export const asText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/**
 * The value if it is a finite number.
 *
 * @example
 * asNumber(0.5); // 0.5
 * asNumber("0.5"); // undefined
 */
export const asNumber = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

/**
 * A count of tokens, bytes or milliseconds: rounded, not negative.
 *
 * @example
 * asCount(11.6); // 12
 * asCount(-1); // 0
 */
export const asCount = (value: unknown): number | undefined => {
  const number = asNumber(value);
  return number === undefined ? undefined : Math.max(0, Math.round(number));
};
