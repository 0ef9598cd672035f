import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Value, type ValueError, ValueErrorType } from "@sinclair/typebox/value";
import type { TProperties, TSchema } from "./schema.ts";

/** One way in which a value violates its schema. */
export interface SchemaProblem {
  /** The position in the value as a JSON pointer; empty for the value itself. */
  path: string;
  message: string;
}

/**
 * Returns a function that checks values against a schema. The schema is compiled at the first call. Compiling needs
 * `new Function`; where a page's security policy forbids that, the schema is interpreted instead.
 *
 * @example
 * ```ts
 * import { Envelope, validator } from "@spoor/protocol";
 *
 * const isEnvelope = validator(Envelope);
 * console.log(isEnvelope({ type: "run.started" })); // false
 * ```
 */
export function validator(schema: TSchema): (value: unknown) => boolean {
  let check: ((value: unknown) => boolean) | undefined;
  return (value) => {
    check ??= compile(schema);
    return check(value);
  };
}

/**
 * Lists the problems of a value, at most `most`.
 *
 * @example
 * ```ts
 * import { Envelope, problems } from "@spoor/protocol";
 *
 * for (const { path, message } of problems(Envelope, { type: 7 })) console.error(`${path}: ${message}`);
 * ```
 */
export function problems(schema: TSchema, value: unknown, most = 3): SchemaProblem[] {
  const found: SchemaProblem[] = [];
  for (const error of Value.Errors(schema, value)) {
    const { path } = error;
    if (!found.some((problem) => problem.path === path)) found.push({ path, message: wordsOf(error) });
    if (found.length === most) break;
  }
  return found;
}

/** In the words of somebody who wrote JSON, where those of the validator are about schemas. */
function wordsOf({ type, schema, message }: ValueError): string {
  const forms: (string | undefined)[] = (schema.anyOf ?? []).map(
    (one: TSchema) => JSON.stringify(one.const) ?? one.type,
  );
  if (type === ValueErrorType.ObjectRequiredProperty) return "it is missing";
  if (type === ValueErrorType.StringMinLength && schema.minLength === 1) return "it is empty";
  if (type === ValueErrorType.StringMaxLength) return `it is longer than ${schema.maxLength} characters`;
  if (type === ValueErrorType.ArrayMaxItems) return `it has more than ${schema.maxItems} items`;
  if (type === ValueErrorType.Union && forms.every((form) => form !== undefined))
    return `expected ${forms.join(" or ")}`;
  return uncapitalised(message);
}

/** Only the first letter: the message may quote a pattern or a constant. */
const uncapitalised = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** Lists the keys of an object that its schema does not define. */
export function unknownFields(schema: { properties: TProperties }, value: object): string[] {
  return Object.keys(value).filter((key) => !Object.hasOwn(schema.properties, key));
}

function compile(schema: TSchema): (value: unknown) => boolean {
  try {
    const compiled = TypeCompiler.Compile(schema);
    return (value) => compiled.Check(value);
  } catch {
    return (value) => Value.Check(schema, value);
  }
}
