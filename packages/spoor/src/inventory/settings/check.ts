import type { FieldKind, SettingsFacts } from "../../agents/agent-about.ts";
import { isObject, readField } from "./fields.ts";
import type { SettingsValues } from "./formats.ts";

export interface SettingsProblem {
  field: string;
  expected: string;
  message: string;
}

/** What is wrong with fields we know. What we do not know passes: agents have more settings than we do. */
export function checkFields(settings: SettingsValues, { fields }: SettingsFacts): SettingsProblem[] {
  return Object.entries(fields).flatMap(([field, kind]) => {
    const value = readField(settings, field.split("."));
    if (value === undefined || fits(value, kind)) return [];
    const expected = typeof kind === "string" ? named[kind] : `one of ${kind.join(", ")}`;
    return [{ field, expected, message: `${field} must be ${expected}.` }];
  });
}

function fits(value: unknown, kind: FieldKind): boolean {
  if (typeof kind !== "string") return kind.some((one) => one === value);
  if (kind === "object") return isObject(value);
  if (kind === "strings") return Array.isArray(value) && value.every((item) => typeof item === "string");
  // TOML has large integers.
  return typeof value === kind || (kind === "number" && typeof value === "bigint");
}

const named: Readonly<Record<Extract<FieldKind, string>, string>> = {
  string: "text",
  boolean: "true or false",
  number: "a number",
  object: "an object",
  strings: "a list of text",
};

/** Whether a value can stand in a settings file as it is. */
export function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlain);
  if (isObject(value)) {
    const prototype = Object.getPrototypeOf(value);
    return (prototype === null || prototype === Object.prototype) && Object.values(value).every(isPlain);
  }
  return ["string", "boolean"].includes(typeof value) || value === null || Number.isFinite(value);
}
