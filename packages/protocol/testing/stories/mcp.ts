import { Story } from "../story.ts";

const call = { toolCallId: "m1", server: "filesystem", toolName: "read_text_file" };

const asked = (): Story =>
  new Story("Summarise NOTES.md.", { agent: "gemini" })
    .begin()
    .turn()
    .emit("mcp_tool_call_start", { ...call, input: { path: "NOTES.md" } })
    .wait(88);

export const mcpOk = (): Story =>
  asked()
    .emit("mcp_tool_result", { ...call, output: [{ type: "text", text: "Buy milk." }], durationMs: 88 })
    .endTurn()
    .turn()
    .message("Milk is to be bought.")
    .endTurn()
    .end();

export const mcpToolError = (): Story =>
  asked()
    .emit("mcp_tool_error", { ...call, error: "NOTES.md does not exist.", durationMs: 12, protocol: false })
    .emit("mcp_tool_call_start", { ...call, toolCallId: "m2", input: { path: "notes.md" } })
    .emit("mcp_tool_error", { ...call, toolCallId: "m2", error: "The server closed the connection.", protocol: true })
    .endTurn()
    .turn()
    .message("I could not read it.")
    .endTurn()
    .end();

export const mcpBlocked = (): Story =>
  asked()
    .emit("mcp_tool_error", { ...call, error: "approval_policy=block", outcome: "blocked" })
    .endTurn()
    .turn()
    .message("Reading is not allowed here.")
    .endTurn()
    .end();
