import { oneOf, optional, type Static, Text, Type } from "../schema.ts";

/** The first frame of every stream, named `resume` and without an id: whether reading goes on where it left off. */
export const ResumeFrame = Type.Object({
  status: oneOf(["ok", "gap"], "`gap`: events after the cursor are gone; a `gap.*` event says which."),
  schema_version: Text("Of the envelopes that follow."),
  after_sequence: optional(
    Type.Integer({ minimum: -1, description: "Where reading really goes on: the log may end before the cursor." }),
  ),
  run_id: optional(Text("The run, when it is one.")),
});
export type ResumeFrame = Static<typeof ResumeFrame>;

/**
 * The last frame, named `bye`, when the server ends a stream that had more to come. When it is for a failure, the last
 * frame is named `error` and holds an `ErrorAnswer`.
 */
export const ByeFrame = Type.Object({ reason: optional(Text("Why.")) });
export type ByeFrame = Static<typeof ByeFrame>;
