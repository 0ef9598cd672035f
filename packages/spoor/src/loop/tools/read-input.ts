import { Value, ValueErrorType } from "@sinclair/typebox/value";
import type { LoopTool } from "./tool.ts";

/** The input of a call, or what is wrong with it, for the model. */
export type ReadInput = { input: Record<string, unknown> } | { error: string };

/** Checks what a model gave as the input of a call. `given` is the parsed input; anything is possible. */
export function readInput({ name, input: schema }: LoopTool, given: unknown): ReadInput {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    return { error: `The input of ${name} must be a JSON object. It takes ${fieldsOf(schema)}.` };
  }
  if (Value.Check(schema, given)) return { input: given as Record<string, unknown> };
  const problems: string[] = [];
  for (const { path, type, message } of Value.Errors(schema, given)) {
    const field = path.slice(1).replaceAll("/", ".");
    const says =
      type === ValueErrorType.ObjectRequiredProperty
        ? `"${field}" is missing`
        : type === ValueErrorType.ObjectAdditionalProperties
          ? `"${field}" is unknown`
          : `"${field}": ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
    // A missing field is reported twice: as missing, and as of the wrong type.
    if (!problems.some((known) => known.startsWith(`"${field}"`))) problems.push(says);
    if (problems.length === MAX_PROBLEMS) break;
  }
  return { error: `The input of ${name} is not valid: ${problems.join("; ")}. It takes ${fieldsOf(schema)}.` };
}

const MAX_PROBLEMS = 5;

function fieldsOf({ properties, required = [] }: LoopTool["input"]): string {
  const names = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name} (optional)`));
  return names.length === 0 ? "no fields" : names.join(", ");
}
