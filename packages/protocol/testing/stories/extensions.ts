import { Story } from "../story.ts";

/** Plugins and skills are loaded at the start and used in a turn; instructions are read. */
export const pluginAndSkill = (): Story =>
  new Story("Review my change.")
    .begin()
    .emit("plugin_loaded", { pluginId: "@acme/lint", pluginName: "Lint", version: "2.1.0" })
    .emit("skill_loaded", { skillName: "review", source: ".claude/skills/review" })
    .emit("agentdoc_read", { path: "AGENTS.md" })
    .turn()
    .emit("skill_invoked", { skillName: "review" })
    .emit("plugin_invoked", { pluginId: "@acme/lint", pluginName: "Lint" })
    .emit("plugin_error", { pluginId: "@acme/lint", pluginName: "Lint", error: "No configuration found." })
    .message("Two findings.")
    .endTurn()
    .end();

export const image = (): Story =>
  new Story("Draw what is in the picture.", { agent: "gemini" })
    .fact("user.attachment", {
      turn_index: 0,
      kind: "image",
      mime: "image/png",
      artifact_id: "art_01K9ZC0000000MAGE000000000",
    })
    .begin()
    .turn()
    .emit("image_input_ack", { mimeType: "image/png" })
    .emit("image_output", { mimeType: "image/svg+xml", base64: "PHN2Zy8+" })
    .emit("image_output", { mimeType: "image/png", filePath: "out/drawing.png" })
    .message("A boat.")
    .endTurn()
    .end();

const CHILD = "01K9ZC0000CH11D00000000000";
const PARENT = "01K9ZC0000PARENT0000000000";

/** Two subagents: one answers several turns later, one fails. The first one has a run of its own. */
export const subagentParent = (): Story =>
  new Story("Find where totals are made.", { runId: PARENT })
    .begin()
    .turn()
    .tool({ id: "s1", name: "Task", kind: "subagent", input: { prompt: "Search src for totals." } })
    .emit("subagent_spawn", {
      subagentId: "sub_1",
      agentName: "explorer",
      prompt: "Search src for totals.",
      childRunId: CHILD,
    })
    .emit("subagent_spawn", { subagentId: "sub_2", agentName: "explorer", prompt: "Search docs for totals." })
    .result("s1", "Task", "Started in the background.")
    .emit("subagent_error", { subagentId: "sub_2", agentName: "explorer", error: "docs does not exist." })
    .endTurn()
    .turn()
    .emit("subagent_result", {
      subagentId: "sub_1",
      agentName: "explorer",
      summary: "src/total.ts",
      cost: { totalUsd: 0.002, inputTokens: 900, outputTokens: 60, source: "agent_reported" },
    })
    .message("Totals are made in src/total.ts.")
    .endTurn()
    .end();

export const subagentChild = (): Story =>
  new Story("Search src for totals.", { runId: CHILD, sessionId: "child" })
    .begin({ parentRunId: PARENT })
    .turn()
    .message("src/total.ts")
    .endTurn()
    .end();
