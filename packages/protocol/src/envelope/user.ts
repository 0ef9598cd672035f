import { Count, Key, oneOf, optional, Text } from "../schema.ts";
import { dotted, turnIndex } from "./define.ts";
import { commandFields } from "./run.ts";

export const userDefinitions = [
  dotted("user.message", "experimental", "Someone wrote to the agent: prompt, follow-up, steering or an answer.", {
    turn_index: turnIndex,
    text: Text("What they wrote."),
    via: optional(oneOf(["prompt", "send", "steer", "queue", "answer"], "How the message reached the agent.")),
    interaction_id: optional(Key("The question that this message answers.")),
    ...commandFields,
  }),
  dotted("user.attachment", "artifact", "A file or image was attached to a message.", {
    turn_index: turnIndex,
    kind: Key("`image`, `file`, …"),
    mime: optional(Text("Media type.")),
    name: optional(Text("File name.")),
    size_bytes: optional(Count("Size in bytes.")),
    artifact_id: optional(Key("The stored attachment.")),
  }),
  dotted("user.image_acknowledged", "additive", "The agent accepted an image.", {
    turn_index: turnIndex,
    mime: Key("Media type."),
  }),
] as const;
