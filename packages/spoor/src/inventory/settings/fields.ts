import { isDeepStrictEqual } from "node:util";
import type { Change, SettingsValues } from "./formats.ts";

/** The value at a path, of the object's own fields only. */
export function readField(settings: unknown, path: readonly string[]): unknown {
  let value = settings;
  for (const key of path) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** A copy with the change made; objects on the way are made where there are none. */
export function withChange(settings: SettingsValues, { path, value }: Change): SettingsValues {
  const [key, ...rest] = path;
  if (key === undefined) return settings;
  const copy: SettingsValues = Object.assign(Object.create(null), settings);
  if (rest.length > 0) {
    const inner = Object.hasOwn(settings, key) ? settings[key] : undefined;
    if (value === undefined && !isObject(inner)) return settings;
    copy[key] = withChange(isObject(inner) ? inner : {}, { path: rest, value });
  } else if (value === undefined) delete copy[key];
  else copy[key] = value;
  return copy;
}

/** Whatever the order of the fields and the prototypes of the objects. */
export const isSame = (a: unknown, b: unknown): boolean => isDeepStrictEqual(plain(a), plain(b));

export const isObject = (value: unknown): value is SettingsValues =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  // Written down, −0 is 0.
  if (value === 0) return 0;
  if (!isObject(value)) return value;
  return new Map(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}
