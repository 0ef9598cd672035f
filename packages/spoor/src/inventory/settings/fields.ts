import { isDeepStrictEqual } from "node:util";
import type { Change, SettingsValues } from "./settings-format.ts";

/** Returns the value at a path. Only own properties count. */
export function readField(settings: unknown, path: readonly string[]): unknown {
  let value = settings;
  for (const key of path) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** Returns a copy with the change applied. Missing objects along the path are created. */
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

/** Deep equality that ignores the order of fields and the prototypes of objects. */
export const isSame = (a: unknown, b: unknown): boolean => isDeepStrictEqual(plain(a), plain(b));

export const isObject = (value: unknown): value is SettingsValues =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  // JSON and TOML write −0 as 0.
  if (value === 0) return 0;
  if (!isObject(value)) return value;
  return new Map(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}
