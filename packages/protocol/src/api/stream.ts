import { oneOf, optional, type Static, Text, Type } from "../schema.ts";

/** The first frame of every stream. It is named `resume`, has no id, and says whether the stream continues at the cursor. */
export const ResumeFrame = Type.Object({
  status: oneOf(["ok", "gap"], "`gap` means that events after the cursor are gone; a `gap.*` event says which."),
  schema_version: Text("The schema version of the envelopes that follow."),
  after_sequence: optional(
    Type.Integer({
      minimum: -1,
      description: "The sequence after which the stream really continues: the log may end before the cursor.",
    }),
  ),
  run_id: optional(Text("The run, for a stream of one run.")),
});
export type ResumeFrame = Static<typeof ResumeFrame>;

/**
 * The last frame, named `bye`, when the server ends a stream early. After a failure, the last frame is named `error`
 * instead and contains an `ErrorAnswer`.
 */
export const ByeFrame = Type.Object({ reason: optional(Text("Why the server ended the stream.")) });
export type ByeFrame = Static<typeof ByeFrame>;
