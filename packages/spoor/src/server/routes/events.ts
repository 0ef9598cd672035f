import { matchFor } from "../../log/feed/granularity.ts";
import { allRunsSource, type EventSource, runSource } from "../feeds/event-source.ts";
import { startPosition } from "../feeds/resume.ts";
import { streamEvents } from "../feeds/stream-events.ts";
import { streamTranslated } from "../feeds/stream-translated.ts";
import { languageOf } from "../http/language-parameter.ts";
import { readers } from "../http/query-parameters.ts";
import type { Route, RouteAnswer, RouteCall } from "../http/route.ts";
import { findRun } from "./find-run.ts";
import type { RouteContext } from "./route-context.ts";
import { sendList } from "./send-list.ts";
import { sendNdjson } from "./send-ndjson.ts";

/** The events of one run or of all runs: as a list, as NDJSON, or as a live stream. */
export function eventRoutes(context: RouteContext): Route[] {
  const ofRun = async (call: RouteCall): Promise<EventSource> =>
    runSource(context, await findRun(context.log, call), filterOf(call));
  /** Skips the lookup of the run's record: `log.read` throws itself when there is no such run. */
  const listOfRun = async (call: RouteCall): Promise<void> => {
    const { run_id = "", task_id } = call.path;
    call.response.setHeader("Vary", "Accept");
    if (task_id !== undefined) await findRun(context.log, call);
    await sendList(
      call,
      { read: (query) => context.log.read(run_id, query), match: filterOf(call) },
      readers.cursor(call.query),
    );
  };
  const ofAll = ({ query }: RouteCall): EventSource =>
    allRunsSource(context, {
      match: filterOf({ query }),
      task_id: readers.text(query, "task_id"),
      agent: readers.text(query, "agent"),
    });
  const startOfAll = ({ query }: RouteCall): Promise<number | undefined> =>
    startPosition(context, { after: readers.cursor(query), from: readers.from(query), since: readers.since(query) });
  const runEvents = {
    method: "GET",
    summary: "Events of a run",
    description: `The Accept header chooses: one page as a list, all events after the cursor as NDJSON, or all of them and then new ones as server-sent events. With \`as\` they are streamed in another language. ${cursorNote}`,
    query: "RunEventsQuery",
    translates: true,
    headers: { "Last-Event-ID": "The cursor after which a stream continues. It wins over after_sequence." },
    answers: { 200: feed, 204: { description: "The run is finished and has no events after the cursor." } },
    handle: async (call: RouteCall) => {
      const language = languageOf(call, context.languages);
      const start = readers.cursor(call.query);
      if (language) await streamTranslated(context, call, await ofRun(call), { language, start });
      else if (wantsList(call)) await listOfRun(call);
      else await negotiated(context, call, await ofRun(call), start);
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
        "In the order of commits. The cursor is a position in the log. With `from=now` the list is empty and holds the newest position.",
      query: "AllEventsQuery",
      headers: runEvents.headers,
      answers: { 200: feed },
      handle: async (call) => negotiated(context, call, ofAll(call), await startOfAll(call)),
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
      handle: async (call) => streamEvents(context, call, ofAll(call), await startOfAll(call)),
    },
  ];
}

/** Chooses the form by `Accept`: a list unless the header names one of the other two. */
async function negotiated(
  context: RouteContext,
  call: RouteCall,
  source: EventSource,
  start: number | undefined,
): Promise<void> {
  call.response.setHeader("Vary", "Accept");
  if (wantsList(call)) await sendList(call, source, start, { withPositions: source.run === undefined });
  else if (accepted(call).includes("text/event-stream")) await streamEvents(context, call, source, start);
  else await sendNdjson(call, source, start);
}

const accepted = ({ request }: RouteCall): string => request.headers.accept?.toLowerCase() ?? "";

function wantsList(call: RouteCall): boolean {
  const accept = accepted(call);
  return !accept.includes("text/event-stream") && !accept.includes("application/x-ndjson");
}

const filterOf = ({ query }: Pick<RouteCall, "query">) => matchFor(readers.granularity(query), readers.types(query));

const cursorNote =
  "Each frame's `id` is its cursor. The first frame is named `resume` and says whether events after the cursor are missing.";

const feed: RouteAnswer = {
  description: "A list, NDJSON or server-sent events, chosen by `Accept`.",
  content: { "application/json": "EventList", "application/x-ndjson": "Envelope", "text/event-stream": undefined },
};
