import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";
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
  for (const { path, message } of Value.Errors(schema, value)) {
    if (!found.some((problem) => problem.path === path)) found.push({ path, message: uncapitalised(message) });
    if (found.length === most) break;
  }
  return found;
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
