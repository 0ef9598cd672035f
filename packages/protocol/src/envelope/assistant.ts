import { Count, Json, Key, optional, Text } from "../schema.ts";
import { dotted, turnIndex } from "./define.ts";

const block = {
  turn_index: turnIndex,
  block_index: Count("Message within the turn, from 0. Thinking blocks are counted separately."),
};
const call = {
  turn_index: turnIndex,
  tool_call_id: Key("The model's own id of the call."),
  tool_name: Key("The tool."),
};
const kind = optional(Key("What the tool does: `shell`, `edit`, `mcp`, …"));

export const assistantDefinitions = [
  dotted("assistant.message_started", "additive", "The agent begins a message.", block),
  dotted("assistant.text_delta", "core", "The next piece of the message.", { ...block, delta: Text("The new piece.") }),
  dotted("assistant.text_complete", "core", "The message is complete.", {
    ...block,
    text: Text("The whole message: all pieces joined."),
  }),
  dotted("assistant.thinking_started", "additive", "The agent begins to think.", {
    ...block,
    effort: optional(Text("The effort level in use.")),
  }),
  dotted("assistant.thinking_delta", "experimental", "The next piece of the thought. Hidden by default.", {
    ...block,
    delta: Text("The new piece."),
  }),
  dotted("assistant.thinking_complete", "experimental", "The thought is complete. Hidden by default.", {
    ...block,
    text: Text("The whole thought: all pieces joined."),
  }),
  dotted("assistant.tool_call_started", "additive", "The agent begins to write a tool call.", {
    ...call,
    kind,
    input_text: optional(Text("The input known at the start, if any.")),
  }),
  dotted("assistant.tool_call_input_delta", "experimental", "The next piece of the call's input.", {
    turn_index: turnIndex,
    tool_call_id: call.tool_call_id,
    delta: Text("The new piece of JSON text."),
  }),
  dotted("assistant.tool_call_proposed", "core", "The call is complete. It has not run yet.", {
    ...call,
    kind,
    input: Json("The parsed input."),
    mcp_server: optional(Key("The MCP server, for MCP tools.")),
    mcp_tool: optional(Key("The tool's name within that server.")),
  }),
  dotted("assistant.final_answer", "core", "The agent is done: no more tool calls for this prompt.", {
    turn_index: turnIndex,
    summary: Text("The final text."),
  }),
  dotted("assistant.image_output", "additive", "The agent made an image.", {
    turn_index: turnIndex,
    mime: Key("Media type."),
    base64: optional(Text("The image itself.")),
    file_path: optional(Text("Where the agent wrote it.")),
    artifact_id: optional(Key("The stored image.")),
  }),
] as const;
