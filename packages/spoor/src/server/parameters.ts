import { Type } from "@sinclair/typebox";
import { HttpError } from "./errors.ts";
import { granularities, isGranularity } from "./granularity.ts";

const choice = (values: readonly string[]) => Type.Union(values.map((value) => Type.Literal(value)));

export const runStatuses = ["queued", "awaiting_approval", "running", "completed", "failed", "cancelled"] as const;

/** Every query parameter: how /openapi.json describes it, and in `readers` how it is read. */
export const parameters = {
  after_sequence: {
    schema: Type.Integer({ minimum: -1 }),
    description: "Only what comes after; -1 or nothing for all. Across runs it is a position.",
  },
  limit: { schema: Type.Integer({ minimum: 1, maximum: 500, default: 200 }), description: "At most this many." },
  event_type: { schema: Type.String(), description: "Only these types, separated by commas." },
  granularity: {
    schema: choice(granularities),
    description:
      "`block` leaves out deltas and chunks of output; `turn` keeps runs, turns, texts, approvals, errors and gaps.",
  },
  task_id: { schema: Type.String(), description: "Only of this task." },
  agent: { schema: Type.String(), description: "Only of runs of this agent." },
  status: { schema: choice(runStatuses), description: "Only runs that stand here." },
  before: {
    schema: Type.String(),
    description: "Only what was created before this one: the `next_before` of the last page.",
  },
} as const;

export type ParameterName = keyof typeof parameters;

/** Readers throw for what they do not understand: a cursor that is guessed shows the wrong events. */
export const readers = {
  cursor(query: URLSearchParams): number | undefined {
    const text = single(query, "after_sequence");
    return text === undefined ? undefined : toCursor(text, "after_sequence");
  },
  limit(query: URLSearchParams): number {
    const text = single(query, "limit") ?? "200";
    if (!/^\d{1,9}$/.test(text) || Number(text) < 1) throw invalid("limit", "must be a whole number from 1 to 500");
    return Math.min(Number(text), 500);
  },
  types: (query: URLSearchParams): readonly string[] | undefined => toTypes(single(query, "event_type")),
  granularity(query: URLSearchParams) {
    const text = single(query, "granularity") ?? "delta";
    if (!isGranularity(text)) throw invalid("granularity", `must be one of ${granularities.join(", ")}`);
    return text;
  },
  status(query: URLSearchParams) {
    const text = single(query, "status");
    if (text === undefined) return undefined;
    const status = runStatuses.find((status) => status === text);
    if (!status) throw invalid("status", `must be one of ${runStatuses.join(", ")}`);
    return status;
  },
  text(query: URLSearchParams, name: "task_id" | "agent" | "before"): string | undefined {
    const text = single(query, name);
    if (text !== undefined && !/^[\x21-\x7e]{1,128}$/.test(text)) throw invalid(name, "must be an id or a name");
    return text;
  },
};

export function toCursor(text: string, name: string): number {
  const cursor = /^(-1|\d{1,16})$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(cursor)) throw new HttpError("invalid_cursor", `${name} must be a whole number from -1.`);
  return cursor;
}

export function toTypes(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const types = [...new Set(text.split(",").map((type) => type.trim()))].sort();
  if (types.length > 200 || !types.every((type) => /^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$/.test(type))) {
    throw invalid("event_type", "must be dotted types, separated by commas");
  }
  return types;
}

/** Given twice, nobody can say which one was meant. */
function single(query: URLSearchParams, name: ParameterName): string | undefined {
  const values = query.getAll(name);
  if (values.length > 1) throw invalid(name, "is given more than once");
  return values[0];
}

const invalid = (name: string, what: string): HttpError => new HttpError("invalid_parameter", `${name} ${what}.`);
