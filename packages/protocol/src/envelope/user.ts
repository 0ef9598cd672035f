import { Key, oneOf, optional, Text } from "../schema.ts";
import { dotted, turnIndex } from "./define.ts";

export const userDefinitions = [
  dotted("user.message", "experimental", "Someone wrote to the agent: prompt, follow-up, steering or an answer.", {
    turn_index: turnIndex,
    text: Text("What they wrote."),
    via: optional(oneOf(["prompt", "send", "steer", "queue", "answer"], "How it reached the agent.")),
    interaction_id: optional(Key("The question it answers.")),
  }),
  dotted("user.attachment", "artifact", "A file or image was given with a message.", {
    turn_index: turnIndex,
    kind: Key("`image`, `file`, …"),
    mime: optional(Text("Media type.")),
    name: optional(Text("File name.")),
    artifact_id: optional(Key("The stored attachment.")),
  }),
  dotted("user.image_acknowledged", "additive", "The agent took an image given to it.", {
    turn_index: turnIndex,
    mime: Key("Media type."),
  }),
] as const;
