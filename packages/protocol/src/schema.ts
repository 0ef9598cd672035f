import { Kind, type Static, type TLiteral, type TProperties, type TSchema, type TUnion, Type } from "@sinclair/typebox";

/**
 * The building blocks of every definition. A schema is written once; the TypeScript type, the JSON Schema, the compiled
 * check and the reference page are derived from it.
 *
 * Objects stay open: a reader accepts and keeps unknown fields. `unknownFields` checks that writers use known fields only.
 */

const CROCKFORD = "[0-7][0-9A-HJKMNP-TV-Z]{25}";

/** A ULID without a prefix, the form of run ids in AgentEvents. */
export const Ulid = (description: string) => Type.String({ pattern: `^${CROCKFORD}$`, description });

/** A ULID with a prefix such as `run_`, the form of ids in everything stored and sent. */
export const PrefixedId = (prefix: string, description: string) =>
  Type.String({ pattern: `^${prefix}_${CROCKFORD}$`, description });

/** An identifier chosen by another program: kept verbatim, never empty. */
export const Key = (description: string) => Type.String({ minLength: 1, description });

export const Text = (description: string) => Type.String({ description });

/** A whole number that counts something, so never negative. */
export const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const Flag = (description: string) => Type.Boolean({ description });

/** Any JSON value; the key itself must be present. */
export const Json = (description: string) => Type.Unknown({ description });

/** A time given by a caller: RFC 3339 with any offset. */
export const AnyInstant = (description: string) =>
  Type.String({
    pattern: "^\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?([Zz]|[+-]\\d{2}:\\d{2})$",
    description,
  });

/** A time as we write it: RFC 3339 in UTC, with up to nine decimals. */
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
 * A field that exists only in memory. It is left out of printed, stored and sent events, because a reader can rebuild it.
 * The TypeScript type requires it; validation does not.
 */
export const InProcessText = (description: string) => Type.String({ description, inProcess: true });

export const isInProcess = (schema: TSchema): boolean => schema.inProcess === true;

/** Returns the properties with in-memory fields optional, as in printed, stored and sent values. */
export function asPrinted(properties: TProperties): TProperties {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, isInProcess(schema) ? Type.Optional(schema) : schema]),
  );
}

export { Kind, type Static, type TProperties, type TSchema, Type };
