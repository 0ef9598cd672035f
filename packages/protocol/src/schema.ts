import { Kind, type Static, type TLiteral, type TProperties, type TSchema, type TUnion, Type } from "@sinclair/typebox";

/**
 * The few building blocks every definition is made of. A schema is written once; the TypeScript type, the JSON Schema,
 * the compiled check and the reference page all follow from it.
 *
 * Objects stay open: a reader meets fields it does not know and keeps them. Writers are held to the known fields by
 * `unknownFields`.
 */

const CROCKFORD = "[0-7][0-9A-HJKMNP-TV-Z]{25}";

/** A bare ULID, as AgentEvents carry run ids. */
export const Ulid = (description: string) => Type.String({ pattern: `^${CROCKFORD}$`, description });

/** A ULID behind a prefix such as `run_`, as everything stored and sent carries ids. */
export const PrefixedId = (prefix: string, description: string) =>
  Type.String({ pattern: `^${prefix}_${CROCKFORD}$`, description });

/** An identifier given by someone else: kept verbatim, never empty. */
export const Key = (description: string) => Type.String({ minLength: 1, description });

export const Text = (description: string) => Type.String({ description });

/** A whole number that counts something, so never negative. */
export const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const Flag = (description: string) => Type.Boolean({ description });

/** Any JSON value; the key itself must be present. */
export const Json = (description: string) => Type.Unknown({ description });

/** A time that a caller gives: RFC 3339 with any offset. */
export const AnyInstant = (description: string) =>
  Type.String({
    pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?([Zz]|[+-]\\d{2}:\\d{2})$",
    description,
  });

/** RFC 3339 in UTC, down to the nanosecond. */
export const Instant = (description: string) =>
  Type.String({
    pattern: "^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T([01]\\d|2[0-3]):[0-5]\\d:([0-5]\\d|60)(\\.\\d{1,9})?Z$",
    description,
  });

/** One of a closed list of strings. */
export function oneOf<const Values extends readonly string[]>(values: Values, description: string) {
  type Literals = { -readonly [Index in keyof Values]: TLiteral<Values[Index] & string> };
  const literals = values.map((value) => Type.Literal(value)) as unknown as Literals;
  return Type.Union(literals as TSchema[], { description }) as unknown as TUnion<Literals & TSchema[]>;
}

export const optional = Type.Optional;

/**
 * A field that exists in process and is left out of printed, stored and sent forms, because a reader rebuilds it.
 * Its presence is required by the TypeScript type and by nothing else.
 */
export const InProcessText = (description: string) => Type.String({ description, inProcess: true });

export const isInProcess = (schema: TSchema): boolean => schema.inProcess === true;

/** The schema of a value that crossed a border: the same, with in-process fields optional. */
export function asPrinted(properties: TProperties): TProperties {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, isInProcess(schema) ? Type.Optional(schema) : schema]),
  );
}

export { Kind, type Static, type TProperties, type TSchema, Type };
