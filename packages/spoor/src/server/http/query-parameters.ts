import {
  artifactKinds,
  artifactStatuses,
  beginnings,
  DEFAULT_LIMIT,
  granularities,
  MAX_LIMIT,
  runStates,
  runStatuses,
  type UsageGroup,
  usageGroups,
} from "@spoor/protocol/api/values";
import { isTimeZone } from "../../runtime/usage/local-day.ts";
import { HttpError } from "./http-error.ts";

const spoorText = /^[\x21-\x7e]{1,128}$/;
/** Agents choose the format of their own ids. */
const agentText = /^\P{Cc}{1,512}$/u;
const texts = {
  ...{
    task_id: spoorText,
    session_id: spoorText,
    agent: spoorText,
    before: spoorText,
    run_id: spoorText,
    through: spoorText,
  },
  ...{ native_session_id: agentText, model: agentText, q: agentText },
} as const;

const anyPath = /^\P{Cc}{1,4096}$/u;

/** Parses every query parameter. Invalid values are refused, never replaced by a guess. */
export const readers = {
  cursor(query: URLSearchParams): number | undefined {
    const text = single(query, "after_sequence");
    return text === undefined ? undefined : toCursor(text, "after_sequence");
  },
  from: (query: URLSearchParams) => choice(query, "from", beginnings),
  since(query: URLSearchParams): number | undefined {
    const text = single(query, "since");
    return text === undefined ? undefined : toTime(text, "since");
  },
  limit(query: URLSearchParams): number {
    const text = single(query, "limit") ?? String(DEFAULT_LIMIT);
    if (!/^\d{1,9}$/.test(text) || Number(text) < 1) {
      throw invalid("limit", `must be a whole number from 1 to ${MAX_LIMIT}`);
    }
    return Math.min(Number(text), MAX_LIMIT);
  },
  /** The parameters of usage, without those that are absent. */
  usage(query: URLSearchParams) {
    const times = (["from", "to"] as const).map((name) => [name, single(query, name)] as const);
    const filters = (["agent", "model", "task_id", "session_id"] as const).map(
      (name) => [name, readers.text(query, name)] as const,
    );
    return Object.fromEntries(
      [
        ["by", toGroups(single(query, "by"))] as const,
        ["time_zone", toTimeZone(single(query, "time_zone"))] as const,
        ...times.map(([name, text]) => [name, text === undefined ? undefined : toTime(text, name)] as const),
        ...filters,
      ].filter(([, value]) => value !== undefined),
    ) as UsageParameters;
  },
  types: (query: URLSearchParams): readonly string[] | undefined => toTypes(single(query, "event_type")),
  granularity: (query: URLSearchParams) => choice(query, "granularity", granularities) ?? granularities[0],
  flag: (query: URLSearchParams, name: string) => choice(query, name, ["true", "false"]) === "true",
  artifactKind: (query: URLSearchParams) => choice(query, "kind", artifactKinds),
  artifactStatus: (query: URLSearchParams) => choice(query, "status", artifactStatuses),
  status: (query: URLSearchParams) => choice(query, "status", runStatuses),
  approvalStatus: (query: URLSearchParams) =>
    choice(query, "status", ["pending", "approved", "rejected", "cancelled", "timed_out"]),
  /** Seconds. */
  wait(query: URLSearchParams): number {
    const text = single(query, "wait") ?? "0";
    if (!/^\d{1,2}(\.\d{1,3})?$/.test(text) || Number(text) > 30) {
      throw invalid("wait", "must be a number of seconds from 0 to 30");
    }
    return Number(text);
  },
  /** A language other than our own, by its name. */
  language<Language extends { readonly name: string }>(query: URLSearchParams, all: readonly Language[]) {
    const name = choice(
      query,
      "as",
      all.map(({ name }) => name),
    );
    return all.find((language) => language.name === name);
  },
  state: (query: URLSearchParams) => choice(query, "state", runStates),
  path(query: URLSearchParams): string | undefined {
    const text = single(query, "path");
    if (text !== undefined && !anyPath.test(text))
      throw invalid("path", "is too long, empty, or contains control characters");
    return text;
  },
  text(query: URLSearchParams, name: keyof typeof texts): string | undefined {
    const text = single(query, name);
    if (text !== undefined && !texts[name].test(text))
      throw invalid(name, "is too long, empty, or contains characters that are not allowed");
    return text;
  },
};

type UsageParameters = { by?: UsageGroup[]; from?: number; to?: number } & Partial<
  Record<"time_zone" | "agent" | "model" | "task_id" | "session_id", string>
>;

function toGroups(text: string | undefined): UsageGroup[] | undefined {
  if (text === undefined) return undefined;
  const groups = [...new Set(text.split(",").map((group) => group.trim()))];
  if (!groups.every((group): group is UsageGroup => usageGroups.some((known) => known === group))) {
    throw invalid("by", `must be a comma-separated list of ${usageGroups.join(", ")}`);
  }
  return groups;
}

function toTimeZone(text: string | undefined): string | undefined {
  if (text === undefined || isTimeZone(text)) return text;
  throw invalid("time_zone", "must be the name of a time zone, such as Europe/Berlin");
}

export function toCursor(text: string, name: string): number {
  const cursor = /^(-1|\d{1,16})$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(cursor))
    throw new HttpError("invalid_cursor", `${name} must be a whole number, -1 or greater.`);
  return cursor;
}

/** Parses an RFC 3339 time to epoch milliseconds. A plus sign in a URL arrives as a space. */
export function toTime(text: string, name: string): number {
  const [, date, clock, offset] = RFC_3339.exec(text) ?? [];
  const time = Date.parse(`${date}T${clock}${offset?.toUpperCase().replace(" ", "+")}`);
  // Date.parse turns the 30th of February into a day in March.
  if (Number.isNaN(time) || new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10) !== date) {
    throw invalid(name, "must be a time such as 2026-05-03T10:23:45Z (RFC 3339)");
  }
  return time;
}

const RFC_3339 = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?)(Z|[+ -]\d{2}:\d{2})$/i;

export function toTypes(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const types = [...new Set(text.split(",").map((type) => type.trim()))].sort();
  if (types.length > 200 || !types.every((type) => /^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*\.([a-z0-9_]+|\*)$/.test(type))) {
    throw invalid(
      "event_type",
      "must be a comma-separated list of at most 200 dotted event types, such as run.finished or tool.*",
    );
  }
  return types;
}

function choice<const Value extends string>(
  query: URLSearchParams,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const text = single(query, name);
  if (text === undefined) return undefined;
  const value = values.find((value) => value === text);
  if (value === undefined) throw invalid(name, `must be one of ${values.join(", ")}`);
  return value;
}

function single(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name);
  if (values.length > 1) throw invalid(name, "is given more than once");
  return values[0];
}

const invalid = (name: string, what: string): HttpError => new HttpError("invalid_parameter", `${name} ${what}.`);
