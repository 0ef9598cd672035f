import type { EnvelopeData, EnvelopeType } from "../envelope/catalog.ts";
import type { Envelope } from "../envelope/envelope.ts";
import type { Draft } from "./view-draft.ts";

/**
 * A payload as it may arrive: the field names of the catalog with any values. The functions below return undefined for a
 * field that is missing or has another type.
 */
export type Data<T extends EnvelopeType> = { readonly [Field in keyof EnvelopeData<T>]?: unknown };

/** A handler applies one envelope of a known type to the draft. `envelope.data` is known to be an object. */
export type Handlers = {
  readonly [T in EnvelopeType]?: (draft: Draft, data: Data<T>, envelope: Envelope) => void;
};

export const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** A text that is not empty. */
export const key = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

export const number = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

export const count = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;

export const flag = (value: unknown): boolean | undefined => (typeof value === "boolean" ? value : undefined);

export const oneOf = <const Value extends string>(values: readonly Value[], value: unknown): Value | undefined =>
  values.find((candidate) => candidate === value);

export const keys = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((element) => key(element) !== undefined) : [];

export const when = (envelope: Envelope): string | undefined => text(envelope.occurred_at);

/** Sets the fields that are not undefined. The others keep their values. */
export function put<T extends object>(item: T, fields: { readonly [Key in keyof T]?: T[Key] | undefined }): T {
  for (const name in fields) {
    if (fields[name] !== undefined) item[name] = fields[name] as T[typeof name];
  }
  return item;
}
