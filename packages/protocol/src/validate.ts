import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";
import type { TProperties, TSchema } from "./schema.ts";

export interface SchemaProblem {
  /** Where in the value, as a JSON pointer; empty for the value itself. */
  path: string;
  message: string;
}

/**
 * A compiled check, made at first use. Compiling needs `new Function`; where a page's security policy forbids that,
 * the same schema is interpreted instead.
 */
export function validator(schema: TSchema): (value: unknown) => boolean {
  let check: ((value: unknown) => boolean) | undefined;
  return (value) => {
    check ??= compile(schema);
    return check(value);
  };
}

/** What is wrong with a value, a few findings at most. */
export function problems(schema: TSchema, value: unknown, most = 3): SchemaProblem[] {
  const found: SchemaProblem[] = [];
  for (const { path, message } of Value.Errors(schema, value)) {
    if (!found.some((problem) => problem.path === path)) found.push({ path, message: message.toLowerCase() });
    if (found.length === most) break;
  }
  return found;
}

/** Keys of an object its schema does not name. */
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
