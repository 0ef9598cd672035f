import { streamEvents } from "../feeds/events-stream.ts";
import { matchFor } from "../feeds/granularity.ts";
import { allSource, runSource, type Source, startOf } from "../feeds/source.ts";
import { readers } from "../http/parameters.ts";
import type { Answer, Call, Route } from "../http/route.ts";
import type { Parts } from "../parts.ts";
import { sendNdjson } from "./events-bulk.ts";
import { sendList } from "./events-list.ts";
import { runOf } from "./lookup.ts";

/** The feeds of events: one run or all, as a list, as NDJSON, or live. */
export function eventRoutes(parts: Parts): Route[] {
  const ofRun = async (call: Call): Promise<Source> => runSource(parts, await runOf(parts.log, call), filterOf(call));
  /** A page needs nothing of the run's own row, and reading from a run that is not there says so. */
  const listOfRun = async (call: Call): Promise<void> => {
    const { run_id = "", task_id } = call.path;
    call.response.setHeader("Vary", "Accept");
    if (task_id !== undefined) await runOf(parts.log, call);
    await sendList(
      call,
      { read: (query) => parts.log.read(run_id, query), match: filterOf(call) },
      readers.cursor(call.query),
    );
  };
  const ofAll = ({ query }: Call): Source =>
    allSource(parts, {
      match: filterOf({ query }),
      task_id: readers.text(query, "task_id"),
      agent: readers.text(query, "agent"),
    });
  const startOfAll = ({ query }: Call): Promise<number | undefined> =>
    startOf(parts, { after: readers.cursor(query), from: readers.from(query), since: readers.since(query) });
  const runEvents = {
    method: "GET",
    summary: "Events of a run",
    description: `A page as a list, the whole rest as NDJSON, or all from the cursor and then live. ${cursorNote}`,
    query: "RunEventsQuery",
    headers: { "Last-Event-ID": "Where a stream goes on; wins over after_sequence." },
    answers: { 200: feed, 204: { description: "The run is finished, and the cursor stands at its end." } },
    handle: async (call: Call) => {
      if (wantsList(call)) await listOfRun(call);
      else await negotiated(parts, call, await ofRun(call), readers.cursor(call.query));
    },
  } as const satisfies Omit<Route, "path" | "operation">;

  return [
    { ...runEvents, path: "/v1/tasks/{task_id}/runs/{run_id}/events", operation: "listTaskRunEvents" },
    { ...runEvents, path: "/v1/runs/{run_id}/events", operation: "listRunEvents" },
    {
      method: "GET",
      path: "/v1/events",
      operation: "listEvents",
      summary: "Events of all runs",
      description:
        "In the order of commits. The cursor is a position in the log. `from=now` gives the newest position without events.",
      query: "AllEventsQuery",
      headers: runEvents.headers,
      answers: { 200: feed },
      handle: async (call) => negotiated(parts, call, ofAll(call), await startOfAll(call)),
    },
    {
      method: "GET",
      path: "/v1/events/stream",
      operation: "streamEvents",
      summary: "Events of all runs, live",
      description: cursorNote,
      query: "AllStreamQuery",
      headers: runEvents.headers,
      answers: { 200: { description: "Server-sent events.", content: { "text/event-stream": undefined } } },
      handle: async (call) => streamEvents(parts, call, ofAll(call), await startOfAll(call)),
    },
  ];
}

/** Which of the three forms, by `Accept`; a list when it names none of the others. */
async function negotiated(parts: Parts, call: Call, source: Source, start: number | undefined): Promise<void> {
  call.response.setHeader("Vary", "Accept");
  if (wantsList(call)) await sendList(call, source, start);
  else if (accepted(call).includes("text/event-stream")) await streamEvents(parts, call, source, start);
  else await sendNdjson(call, source, start);
}

const accepted = ({ request }: Call): string => request.headers.accept?.toLowerCase() ?? "";

function wantsList(call: Call): boolean {
  const accept = accepted(call);
  return !accept.includes("text/event-stream") && !accept.includes("application/x-ndjson");
}

const filterOf = ({ query }: Pick<Call, "query">) => matchFor(readers.granularity(query), readers.types(query));

const cursorNote =
  "Each frame's `id` is its cursor. The first frame is named `resume` and says whether the cursor met a gap.";

const feed: Answer = {
  description: "A list, NDJSON, or server-sent events, as `Accept` asks.",
  content: { "application/json": "EventList", "application/x-ndjson": "Envelope", "text/event-stream": undefined },
};
