import { Key, optional, type Static, Text } from "../schema.ts";
import { agentEvent } from "./base.ts";

const mimeType = Key("The image's media type.");

export const ImageOutputEvent = agentEvent("image_output", "The agent made an image.", {
  mimeType,
  base64: optional(Text("The image itself, when delivered inline.")),
  filePath: optional(Text("Where the agent wrote it.")),
});
export type ImageOutputEvent = Static<typeof ImageOutputEvent>;

export const ImageInputAckEvent = agentEvent("image_input_ack", "The agent accepted an image from the user.", {
  mimeType,
});
export type ImageInputAckEvent = Static<typeof ImageInputAckEvent>;
