import { createHash } from "node:crypto";

/** The parts of OTLP in JSON that Spoor writes. Ids are hex; times are nanoseconds since 1970 as text. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code: number; readonly message?: string };
}

export interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}

export type OtlpValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly OtlpValue[] } };

export interface OtlpResource {
  readonly attributes: readonly OtlpAttribute[];
}

export interface OtlpTraces {
  readonly resourceSpans: readonly {
    readonly resource: OtlpResource;
    readonly scopeSpans: readonly { readonly scope: { readonly name: string }; readonly spans: readonly OtlpSpan[] }[];
  }[];
}

export const spanKinds = { internal: 1, client: 3 } as const;
export const statusCodes = { unset: 0, error: 2 } as const;

/** Ids are derived from ours, so that exporting a run again gives the same spans, which a receiver can recognise. */
export const traceIdOf = (run_id: string): string => digest(run_id).slice(0, 32);
export const spanIdOf = (run_id: string, name: string): string => digest(`${run_id}\n${name}`).slice(0, 16);

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

export const nanos = (epochMs: number): string => `${Math.max(0, Math.round(epochMs))}000000`;

export type Attributes = Readonly<
  Record<string, string | number | boolean | readonly string[] | { readonly double: number } | undefined>
>;

/** Attributes without those that are undefined. */
export function attributesOf(values: Attributes): OtlpAttribute[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: encoded(value) }],
  );
}

function encoded(value: NonNullable<Attributes[string]>): OtlpValue {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") {
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  }
  if ("double" in value) return { doubleValue: value.double };
  return { arrayValue: { values: value.map((text) => ({ stringValue: text })) } };
}
