import type { EventList } from "../api/answers.ts";
import type { Granularity } from "../api/values.ts";
import { clientError } from "./errors.ts";
import { type AllFilters, type AllStart, eventTypes, startQuery } from "./event-source.ts";
import { type Connector, type Query, requestJson } from "./http.ts";
import type { CancelSignal } from "./web-platform.ts";

/** Options of a list of events. */
export interface ListOptions {
  /** Only events after this sequence (or position, when all runs are listed); absent or -1 for all. */
  after?: number | undefined;
  /** The maximum number of events on a page. */
  limit?: number | undefined;
  signal?: CancelSignal | undefined;
}

/** Options of a list of one run's events. */
export interface RunListOptions extends ListOptions {
  granularity?: Granularity | undefined;
  /** Only these dotted types. */
  event_type?: string | readonly string[] | undefined;
}

/** Options of a list of all runs' events. */
export interface AllListOptions extends ListOptions, AllStart {}

export const walkRun = (
  connector: Connector,
  runId: string,
  { granularity, event_type, ...options }: RunListOptions,
): AsyncGenerator<EventList, void> =>
  walk(connector, `/v1/runs/${encodeURIComponent(runId)}/events`, { granularity, ...eventTypes(event_type) }, options);

export const walkAll = (
  connector: Connector,
  { event_type, ...filters }: AllFilters,
  { from, since, ...options }: AllListOptions,
): AsyncGenerator<EventList, void> => {
  const start = startQuery({ after: options.after, from, since });
  return walk(connector, "/v1/events", { ...filters, ...eventTypes(event_type) }, options, start);
};

/** Yields pages until the server has no more events for now. */
async function* walk(
  connector: Connector,
  path: string,
  filters: Query,
  { after = -1, limit, signal }: ListOptions,
  start: Query = { after_sequence: after },
): AsyncGenerator<EventList, void> {
  let startAt = start;
  for (let cursor = after; ; ) {
    const query = { ...filters, ...startAt, limit };
    const page = await requestJson<EventList>(connector, { path, query, expect: "list", signal });
    yield page;
    if (!page.has_more) return;
    if (!(page.next_after_sequence > cursor)) {
      throw clientError(
        "bad_response",
        `${path} reports more events after ${cursor}, but returned no cursor beyond it.`,
      );
    }
    cursor = page.next_after_sequence;
    startAt = { after_sequence: cursor };
  }
}
