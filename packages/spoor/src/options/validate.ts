import type { Problem } from "../failures/errors.ts";
import { isObject, unexpected, unknownField } from "./checks.ts";
import { exclusive, type Field, fields, impossible } from "./fields.ts";

/** Everything wrong with options: those of a call, or only those that files and clients may share. */
export function optionProblems(value: unknown, which: "run" | "shared"): Problem[] {
  if (!isObject(value)) return [unexpected(value, "options", "an object")];
  return [
    ...Object.entries(value).flatMap(([name, each]) => (each === undefined ? [] : fieldProblems(name, each, which))),
    ...exclusive.flatMap((group) => groupProblems(group, value)),
  ];
}

function fieldProblems(name: string, value: unknown, which: "run" | "shared"): Problem[] {
  const field = fieldOf(name);
  // Refused for what it is, not for how it is written.
  if (Object.hasOwn(impossible, name)) return which === "run" ? [] : [{ field: name, message: refusalOf(name) }];
  if (!field) return [unknownField(name, knownFields(which))];
  if (which === "shared" && !field.shared) return [{ field: name, message: `${name} belongs to one run, not here.` }];
  return field.check(value, name);
}

function groupProblems(group: readonly string[], value: Record<string, unknown>): Problem[] {
  // `noSession: false` asks for nothing.
  const given = group.filter((name) => value[name] !== undefined && value[name] !== false);
  if (given.length < 2) return [];
  return [
    { field: given[1] as string, fields: given, message: `${given.join(" and ")} exclude each other: keep one.` },
  ];
}

/** Why an option that no agent can honour is refused, and what to do instead. */
export const refusalOf = (name: string): string => `${name} can be asked of no agent: ${impossible[name]}.`;

export const fieldOf = (name: string): Field | undefined =>
  Object.hasOwn(fields, name) ? fields[name as keyof typeof fields] : undefined;

const knownFields = (which: "run" | "shared"): string[] =>
  Object.entries(fields).flatMap(([name, { shared }]) => (which === "run" || shared ? [name] : []));
