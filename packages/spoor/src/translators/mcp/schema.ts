import { type TSchema, Type } from "@sinclair/typebox";
import { Value, ValueErrorType } from "@sinclair/typebox/value";
import { McpRefusal } from "./answers/refusal.ts";
import type { McpTool } from "./tools/index.ts";

/**
 * A schema as clients get it. A choice of words becomes an `enum`, because some models do not understand it as a choice of
 * constants.
 */
export function published(schema: TSchema): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    const choices = (value as { anyOf?: unknown } | null)?.anyOf;
    if (!Array.isArray(choices) || !choices.every(isWord)) return value;
    const { anyOf: _, ...rest } = value as { anyOf: unknown };
    return { type: "string", enum: choices.map((choice) => choice.const), ...rest };
  });
}

const isWord = (schema: unknown): schema is { const: string } =>
  typeof (schema as { const?: unknown } | null)?.const === "string";

/** Checks the arguments of a call. Anything is possible; what is wrong is said so that the agent can do better. */
export function readArguments({ name, input: schema }: McpTool, given: unknown): never {
  const input = given ?? {};
  if (Value.Check(schema, input)) return input as never;
  const problems = new Map<string, string>();
  for (const { path, type, schema: broken } of Value.Errors(schema, input)) {
    const field = path.slice(1).replaceAll("/", ".");
    // A missing field is reported twice: as missing, and as of the wrong type.
    if (!problems.has(field) && problems.size < MAX_PROBLEMS) problems.set(field, problemOf(type, broken));
  }
  const list = [...problems].map(([field, problem]) =>
    field === "" ? problem : `\`${field.slice(0, 80)}\` ${problem}`,
  );
  throw new McpRefusal(
    "invalid",
    `The arguments of ${name} are wrong: ${list.join("; ")}. It takes ${fieldsOf(schema)}.`,
  );
}

const MAX_PROBLEMS = 5;

function problemOf(type: ValueErrorType, broken: TSchema): string {
  if (type === ValueErrorType.ObjectRequiredProperty) return "is missing";
  if (type === ValueErrorType.ObjectAdditionalProperties) return "is unknown";
  const { enum: words, type: kind, minimum, maximum, minLength, maxLength, pattern } = published(Type.Unsafe(broken));
  if (Array.isArray(words)) return `must be one of ${words.join(", ")}`;
  const range = [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(minLength === undefined ? [] : [minLength === 1 ? "not empty" : `at least ${minLength} characters`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(pattern === undefined ? [] : [`like ${pattern}`]),
  ];
  return `must be ${[kindNames[String(kind)] ?? "another value", ...range].join(", ")}`;
}

const kindNames: Readonly<Record<string, string>> = {
  string: "a text",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

function fieldsOf({ properties, required = [] }: McpTool["input"]): string {
  const names = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name} (optional)`));
  return names.join(", ");
}
