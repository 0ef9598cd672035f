import type { EventList } from "../api/answers.ts";
import type { Granularity } from "../api/values.ts";
import { clientError } from "./errors.ts";
import { type AllFilters, type AllStart, eventTypes, startQuery } from "./event-source.ts";
import { type Connector, type Query, requestJson } from "./http.ts";
import type { Signal } from "./web-platform.ts";

export interface ListOptions {
  /** Only what comes after this sequence, or position where all runs are listed; absent or -1: from the start. */
  after?: number | undefined;
  /** Most events of a page. */
  limit?: number | undefined;
  signal?: Signal | undefined;
}

export interface RunListOptions extends ListOptions {
  granularity?: Granularity | undefined;
}

export interface AllListOptions extends ListOptions, AllStart {}

export const walkRun = (
  connector: Connector,
  runId: string,
  { granularity, ...options }: RunListOptions,
): AsyncGenerator<EventList, void> =>
  walk(connector, `/v1/runs/${encodeURIComponent(runId)}/events`, { granularity }, options);

export const walkAll = (
  connector: Connector,
  { event_type, ...filters }: AllFilters,
  { from, since, ...options }: AllListOptions,
): AsyncGenerator<EventList, void> => {
  const start = startQuery({ after: options.after, from, since });
  return walk(connector, "/v1/events", { ...filters, ...eventTypes(event_type) }, options, start);
};

/** Page after page until the server has no more for now. */
async function* walk(
  connector: Connector,
  path: string,
  filters: Query,
  { after = -1, limit, signal }: ListOptions,
  start: Query = { after_sequence: after },
): AsyncGenerator<EventList, void> {
  let place = start;
  for (let cursor = after; ; ) {
    const query = { ...filters, ...place, limit };
    const page = await requestJson<EventList>(connector, { path, query, expect: "list", signal });
    yield page;
    if (!page.has_more) return;
    if (!(page.next_after_sequence > cursor)) {
      throw clientError("bad_response", `There is more after ${cursor}, says ${path}, and gives no way to it.`);
    }
    cursor = page.next_after_sequence;
    place = { after_sequence: cursor };
  }
}
