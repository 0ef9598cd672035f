import type { FieldKind, SettingsFacts } from "../../agents/agent-about.ts";
import { isObject, readField } from "./fields.ts";
import type { SettingsValues } from "./settings-format.ts";

/** A field of a settings file with an unexpected value. */
export interface SettingsProblem {
  field: string;
  expected: string;
  message: string;
}

/** Checks the fields we know. Unknown fields pass, because agents have more settings than we list. */
export function checkFields(settings: SettingsValues, { fields }: SettingsFacts): SettingsProblem[] {
  return Object.entries(fields).flatMap(([field, kind]) => {
    const value = readField(settings, field.split("."));
    if (value === undefined || fits(value, kind)) return [];
    const expected = typeof kind === "string" ? kindNames[kind] : `one of ${kind.join(", ")}`;
    return [{ field, expected, message: `${field} must be ${expected}.` }];
  });
}

function fits(value: unknown, kind: FieldKind): boolean {
  if (typeof kind !== "string") return kind.some((one) => one === value);
  if (kind === "object") return isObject(value);
  if (kind === "strings") return Array.isArray(value) && value.every((item) => typeof item === "string");
  // The TOML parser returns large integers as bigint.
  return typeof value === kind || (kind === "number" && typeof value === "bigint");
}

const kindNames: Readonly<Record<Extract<FieldKind, string>, string>> = {
  string: "text",
  boolean: "true or false",
  number: "a number",
  object: "an object",
  strings: "a list of text",
};

/** Whether a value can be written to a settings file without loss. */
export function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlain);
  if (isObject(value)) {
    const prototype = Object.getPrototypeOf(value);
    return (prototype === null || prototype === Object.prototype) && Object.values(value).every(isPlain);
  }
  return ["string", "boolean"].includes(typeof value) || value === null || Number.isFinite(value);
}
