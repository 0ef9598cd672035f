import type { Granularity } from "@spoor/protocol/api/values";
import { splitObjects } from "./split-objects.ts";

/** One event of the table: its place in the list, and the bytes as they are stored. */
export interface EventRow {
  /** The sequence, or the position in the list of all runs. */
  readonly cursor: number;
  readonly line: string;
}

export interface EventPage {
  readonly rows: readonly EventRow[];
  readonly hasMore: boolean;
  /** Everything up to this cursor was looked at. */
  readonly next: number;
}

/** Reads pages of events after a cursor. */
export type ReadPage = (after: number, options?: { limit?: number; signal?: AbortSignal }) => Promise<EventPage>;

export interface EventSelection {
  /** Absent for all runs. */
  readonly runId?: string | undefined;
  readonly types: readonly string[];
  readonly granularity: Granularity;
}

export const PAGE_LIMIT = 500;

/** The address of a list of events, as programs ask for it. */
export function eventsPath({ runId, types, granularity }: EventSelection, query: Record<string, string> = {}): string {
  const path = runId === undefined ? "/v1/events" : `/v1/runs/${encodeURIComponent(runId)}/events`;
  const all = {
    ...(types.length > 0 && { event_type: types.join(",") }),
    ...(granularity !== "delta" && { granularity }),
    ...query,
  };
  const text = Object.entries(all)
    .map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll("%2C", ",")}`)
    .join("&");
  return text === "" ? path : `${path}?${text}`;
}

/** Pages of the server. The bytes of each event are taken from the answer as they are, not parsed and written again. */
export const pagesOf =
  (selection: EventSelection): ReadPage =>
  async (after, { limit = PAGE_LIMIT, signal } = {}) => {
    const path = eventsPath(selection, { after_sequence: String(after), limit: String(limit) });
    const answer = await fetch(path, { headers: { Accept: "application/json" }, ...(signal && { signal }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(problemOf(text) ?? `The server answered with status ${answer.status}.`);
    const lines = splitObjects(text.slice(text.indexOf("[") + 1, text.lastIndexOf('],"has_more":')));
    const end = JSON.parse(`{"data":[${text.slice(text.lastIndexOf('],"has_more":'))}`) as PageEnd;
    const rows = lines.map((line, index) => ({ line, cursor: end.positions?.[index] ?? sequenceOf(line) }));
    return { rows, hasMore: end.has_more, next: end.next_after_sequence };
  };

interface PageEnd {
  has_more: boolean;
  next_after_sequence: number;
  positions?: number[];
}

const sequenceOf = (line: string): number => (JSON.parse(line) as { sequence: number }).sequence;

function problemOf(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { error?: { message?: string } }).error?.message;
  } catch {
    return undefined;
  }
}
