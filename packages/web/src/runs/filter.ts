import type { RunRecord, RunsQuery } from "@spoor/protocol/client";
import { type ShownStateId, shownState } from "../ui/run-state.ts";

/** What the filter field asks for. */
interface RunFilter {
  /** Words that must all occur in the title, the prompts, the agent, the model, the id or a path. */
  readonly words: readonly string[];
  readonly agent?: string;
  readonly model?: string;
  readonly status?: Segment;
  readonly path?: string;
  /** Keys, and values of `status`, that nobody knows. They are said, and narrow nothing. */
  readonly unknown: readonly string[];
}

/** The parts of the list that the segments show. `all` narrows nothing. */
export type Segment = keyof typeof segments;

/** The segments: their states on the page, and the query that finds these runs on the server. */
export const segments = {
  all: { name: "All", ids: undefined, query: {} },
  needs: { name: "Needs you", ids: ["needs_you", "question", "paused"], query: { state: "blocked" } },
  working: { name: "Working", ids: ["working", "queued"], query: { state: "working" } },
  stalled: { name: "Stalled", ids: ["stalled"], query: { state: "working" } },
  failed: { name: "Failed", ids: ["failed"], query: { state: "error" } },
  done: { name: "Done", ids: ["done"], query: { state: "done" } },
  queued: { name: "Queued", ids: ["queued"], query: { state: "idle" } },
  cancelled: { name: "Cancelled", ids: ["cancelled"], query: { status: "cancelled" } },
} as const satisfies Record<
  string,
  { name: string; ids: readonly ShownStateId[] | undefined; query: Pick<RunsQuery, "state" | "status"> }
>;

/** Other words that people use for a segment. */
const otherNames: Readonly<Record<string, Segment>> = {
  "needs-you": "needs",
  needs_you: "needs",
  waiting: "needs",
  blocked: "needs",
  running: "working",
  error: "failed",
  completed: "done",
  canceled: "cancelled",
};

/** The most characters that the server searches for. */
export const MAX_FILTER = 512;

export const filterKeys = ["agent", "model", "status", "path"] as const;
type Key = (typeof filterKeys)[number];

export const segmentOf = (text: string): Segment | undefined => {
  const name = text.toLowerCase();
  if (Object.hasOwn(segments, name)) return name as Segment;
  return Object.hasOwn(otherNames, name) ? otherNames[name] : undefined;
};

/** Reads the filter field: words, and `key:value` or `key:"a value"`. */
export function parseFilter(text: string): RunFilter {
  const words: string[] = [];
  const unknown: string[] = [];
  const values: { -readonly [K in Key]?: string } = {};
  for (const [, key, quoted, plain, word] of text.matchAll(TOKEN)) {
    const value = quoted ?? plain ?? "";
    if (key === undefined) {
      if (word !== undefined) words.push(word.replaceAll('"', ""));
    } else if (!filterKeys.some((known) => known === key.toLowerCase())) {
      // `C:\code` and `http://…` are words. A word with a colon may also be part of a title.
      if (looksLikeKey(key, value)) unknown.push(`${key}:`);
      else words.push(`${key}:${value}`);
    } else if (value !== "") values[key.toLowerCase() as Key] = value;
  }
  const { status: wanted, ...others } = values;
  const status = wanted === undefined ? undefined : segmentOf(wanted);
  if (wanted !== undefined && status === undefined) unknown.push(`status:${wanted}`);
  return { words: words.filter((word) => word !== ""), ...others, ...(status && { status }), unknown };
}

const TOKEN = /([A-Za-z_-]+):(?:"([^"]*)"?|(\S*))|(\S+)/g;

const looksLikeKey = (key: string, value: string): boolean => key.length > 1 && !/^[\\/]/.test(value);

/** What to ask the server for. `*` stands for any text, so that a part of a name is enough. */
export function queryOf({ words, agent, model, status, path }: RunFilter, segment: Segment): RunsQuery {
  return {
    ...segments[status ?? "all"].query,
    ...segments[segment].query,
    ...(words.length > 0 && { q: words.join(" ") }),
    ...(agent !== undefined && { agent: anywhere(agent) }),
    ...(model !== undefined && { model: anywhere(model) }),
    ...(path !== undefined && { path }),
  };
}

const anywhere = (text: string): string => (text.includes("*") ? text : `*${text}*`);

/** Whether nothing is asked for. */
export const isEmpty = ({ words, agent, model, status, path }: RunFilter, segment: Segment): boolean =>
  segment === "all" && words.length === 0 && [agent, model, status, path].every((value) => value === undefined);

/** Whether the state of a run, which may have changed since the server answered, is still asked for. */
export function hasState(run: RunRecord, { status = "all" }: RunFilter, segment: Segment, now: number): boolean {
  const { id } = shownState(run, now);
  return [status, segment].every((name) => {
    const ids: readonly ShownStateId[] | undefined = segments[name].ids;
    return ids === undefined || ids.includes(id);
  });
}
