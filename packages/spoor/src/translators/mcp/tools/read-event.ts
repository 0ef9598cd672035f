import { Type } from "@sinclair/typebox";
import { cursorOf, placeOf } from "../answers/cursor.ts";
import { textPart } from "../answers/page.ts";
import { McpRefusal } from "../answers/refusal.ts";
import { findRun } from "./find.ts";
import { answerOf, argumentsOf, cursorArgument, nextCursor, readingTool, runArgument } from "./tool.ts";

/** Reads one event whole, part by part. */
export const readEvent = readingTool({
  name: "read_event",
  title: "Read one event whole",
  description:
    "Read one event of a run whole, however long it is: its stored JSON, or one text in it, such as the output of a tool. Use it where read_run says `truncated`. A long text comes in parts: pass next_cursor as cursor until it is null.",
  input: argumentsOf({
    run: runArgument,
    sequence: Type.Integer({ minimum: 0, description: "The sequence of the event, as read_run shows it." }),
    pointer: Type.Optional(
      Type.String({
        pattern: "^(/.*)?$",
        maxLength: 500,
        description: "A JSON pointer to one value of the event, such as `/data/output`. A text is answered as it is.",
      }),
    ),
    cursor: cursorArgument,
  }),
  output: answerOf({
    run_id: Type.String(),
    sequence: Type.Integer(),
    type: Type.String(),
    text: Type.String({ description: "This part of the value." }),
    offset: Type.Integer({ description: "Where this part begins, in bytes." }),
    total_bytes: Type.Integer({ description: "How long the whole value is." }),
    next_cursor: nextCursor,
  }),
  async call(context, input) {
    const { sequence, pointer = "" } = input;
    const place = placeOf("read_event", input);
    const log = await context.log();
    const { run_id, first_sequence, last_sequence } = await findRun(log, String(place?.run_id ?? input.run));
    const { pieces } = await log.read(run_id, { after: sequence - 1, limit: 1 });
    const line = pieces[0]?.bytes.toString("utf8") ?? "";
    const event = line === "" ? undefined : (JSON.parse(line) as { sequence: number; type: string });
    if (!event || event.sequence !== sequence) {
      const range = last_sequence < 0 ? "has no events yet" : `has the events ${first_sequence} to ${last_sequence}`;
      throw new McpRefusal("event_not_found", `${run_id} has no event ${sequence}: it ${range}.`);
    }
    const value = pointer === "" ? line.trimEnd() : textOf(valueAt(event, pointer));
    const whole = Buffer.from(value);
    const offset = Math.min(Number(place?.offset ?? 0), whole.length);
    const { text, next } = textPart(whole, offset);
    const next_cursor = next === undefined ? null : cursorOf("read_event", input, { run_id, offset: next });
    const words = `Bytes ${offset} to ${next ?? whole.length} of ${whole.length} of event ${sequence} of ${run_id}${next === undefined ? "" : "; more with cursor"}.`;
    return {
      words,
      data: { run_id, sequence, type: event.type, text, offset, total_bytes: whole.length, next_cursor },
    };
  },
});

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new McpRefusal("too_deep", "The value is nested too deeply. Leave pointer out to see the whole event.");
  }
}

/** The value that a JSON pointer names. */
function valueAt(event: unknown, pointer: string): unknown {
  let value = event;
  for (const escaped of pointer.split("/").slice(1)) {
    const name = escaped.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) {
      throw new McpRefusal(
        "value_not_found",
        `The event has nothing at ${JSON.stringify(pointer)}. Leave pointer out to see the whole event.`,
      );
    }
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
