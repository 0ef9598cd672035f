import { Type } from "@sinclair/typebox";
import type { Envelope } from "@spoor/protocol";
import { granularities } from "@spoor/protocol/api/values";
import { envelopesIn } from "../../../log/envelopes.ts";
import { matchFor } from "../../../log/feed/granularity.ts";
import type { Log } from "../../../log/log.ts";
import { isOver, type StoredRun } from "../../../log/records.ts";
import { cursorOf, placeOf } from "../answers/cursor.ts";
import { fillPage } from "../answers/page.ts";
import type { Answer } from "../answers/result.ts";
import { shorten } from "../answers/shorten.ts";
import { findRun } from "./find.ts";
import { summaryOf } from "./summary.ts";
import {
  answerOf,
  argumentsOf,
  cursorArgument,
  limitArgument,
  nextCursor,
  oneOf,
  readingTool,
  recordOf,
  runArgument,
} from "./tool.ts";

const levels = ["summary", ...[...granularities].reverse()] as const;

/** Reads a run: what it came to, or its events. */
export const readRun = readingTool({
  name: "read_run",
  title: "Read a run",
  description:
    "Read one run at the level of detail you need. `summary` (the default): what was asked, the last answer, to-dos, calls, commands, changed files, errors, open approvals and questions, cost. `turn`: its prompts, whole answers, turns, approvals and errors as events in order. `block`: also tool calls with input and output, commands, files and thinking. `delta`: every event, with each streamed piece of text and output. Long values are shortened and marked with `truncated`; read_event reads such an event whole.",
  input: argumentsOf({
    run: runArgument,
    granularity: Type.Optional(oneOf(levels, "How detailed; `summary` if absent.")),
    types: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        minItems: 1,
        maxItems: 50,
        description:
          "Only events of these types, such as `tool.shell.exited`; `tool.*` is a group. Not with `summary`.",
      }),
    ),
    after_sequence: Type.Optional(
      Type.Integer({
        minimum: -1,
        description: "Begin after this event. Take last_sequence minus 50 to see the end of a run.",
      }),
    ),
    cursor: cursorArgument,
    limit: limitArgument(100),
  }),
  output: answerOf({
    run: recordOf({ run_id: Type.String(), status: Type.String(), agent: Type.String() }, "The record of the run."),
    summary: Type.Optional(recordOf({}, "With `summary`: what the run came to.")),
    events: Type.Optional(
      Type.Array(
        recordOf(
          { sequence: Type.Integer(), type: Type.String(), occurred_at: Type.String(), data: Type.Unknown() },
          "An event. `sequence` is its place in the run.",
        ),
      ),
    ),
    next_cursor: nextCursor,
    last_sequence: Type.Integer({ description: "The last event of the run when this was read." }),
    is_over: Type.Boolean({
      description: "Whether the run has ended. If not, read again later from next_cursor or after_sequence.",
    }),
  }),
  async call(context, input) {
    const place = placeOf("read_run", input);
    const log = await context.log();
    const run = await findRun(log, typeof place?.run_id === "string" ? place.run_id : input.run);
    const { granularity = "summary", types, after_sequence = -1, limit = 100 } = input;
    if (granularity === "summary") return summaryOf(log, run);
    const after = typeof place?.after === "number" ? place.after : after_sequence;
    const page = await eventsOf(log, run, { after, limit, match: matchFor(granularity, types) });
    const cursor = (next: number) => cursorOf("read_run", input, { run_id: run.run_id, after: next });
    return answer(run, page, cursor);
  },
});

interface EventPage {
  events: object[];
  /** The last event that was looked at, and whether more are stored. */
  next: number;
  more: boolean;
}

async function eventsOf(
  log: Log,
  run: StoredRun,
  query: { after: number; limit: number; match: ReturnType<typeof matchFor> },
): Promise<EventPage> {
  const { after, limit, match } = query;
  const page = await log.read(run.run_id, { after, limit, ...(match && { match }) });
  const stored = page.pieces.flatMap(envelopesIn);
  const { items: events, count } = fillPage(stored.map(eventItem));
  const last = stored[count - 1];
  if (last && count < stored.length) return { events, next: last.sequence, more: true };
  return { events, next: Math.max(page.next, last?.sequence ?? after), more: page.more };
}

/** The fields of an envelope that say something beside those of the run. */
export const eventItem = ({ sequence, type, occurred_at, data }: Envelope): object => ({
  sequence,
  type,
  occurred_at,
  data,
});

function answer(run: StoredRun, { events, next, more }: EventPage, cursor: (next: number) => string): Answer {
  const { run_id, status, agent, last_sequence } = run;
  const is_over = isOver(run);
  // A run that goes on has a next page even if nothing is on it yet.
  const next_cursor = more || !is_over ? cursor(next) : null;
  const words = `${events.length} ${events.length === 1 ? "event" : "events"} of ${run_id}, in order${more ? "; more with cursor" : is_over ? "; these are the last" : "; the run goes on"}.`;
  return {
    words,
    data: { run: shorten({ run_id, status, agent }, RUN_BYTES).value, events, next_cursor, last_sequence, is_over },
  };
}

/** An agent may have any name. */
const RUN_BYTES = 1_024;
