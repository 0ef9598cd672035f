import { describe, expect, it } from "vitest";
import { inTurn, known, seen, stream, whole } from "../../testing/view/fold-script.ts";
import { viewOf } from "./fold.ts";

describe("cost", () => {
  it("is the last cumulative value: dollars as reported, whole millionths, tokens and source", () => {
    const story = inTurn().emit("cost", {
      cost: { totalUsd: 0.1, inputTokens: 5, outputTokens: 1, source: "estimated" },
    });
    story.emit("cost", {
      cost: {
        totalUsd: 0.1234567,
        inputTokens: 50,
        outputTokens: 10,
        cachedTokens: 40,
        thinkingTokens: 3,
        source: "billed",
      },
    });
    expect(seen(story).cost).toEqual({
      usd: 0.1234567,
      micros: 123_457,
      inputTokens: 50,
      outputTokens: 10,
      cachedInputTokens: 40,
      thinkingTokens: 3,
      source: "billed",
    });
  });

  it("comes from the end of the session or run if there was no tick", () => {
    const cost = { totalUsd: 0.25, inputTokens: 1, outputTokens: 1 };
    expect(viewOf(whole(inTurn().endTurn().end(cost))).cost).toMatchObject({
      usd: 0.25,
      micros: 250_000,
      inputTokens: 1,
    });
    expect(viewOf(stream(["run.finished", { cost_micros_usd: 7 }])).cost.micros).toBe(7);
  });

  it("shows the budget, its warning and its excess", () => {
    const warned = known("cost.budget_warning", {
      threshold_pct: 80,
      cumulative_cost_micros_usd: 40,
      task_budget_micros_usd: 50,
    });
    const exceeded = known("cost.budget_exceeded", {
      cumulative_cost_micros_usd: 51,
      task_budget_micros_usd: 50,
      action: "paused",
    });
    const tick = { cumulative_input_tokens: 1, cumulative_output_tokens: 1, cumulative_cost_micros_usd: 9 };
    const within = known("cost.tick", { ...tick, task_budget_micros_usd: 50, task_budget_remaining_micros_usd: 41 });
    expect(viewOf(stream(within)).budget).toEqual({ micros: 50, remainingMicros: 41, state: "within" });
    expect(viewOf(stream(warned)).budget).toEqual({ micros: 50, state: "warned", thresholdPct: 80 });
    const view = viewOf(stream(warned, exceeded, warned));
    expect(view.budget).toMatchObject({ state: "exceeded", action: "paused" });
    expect(view.cost.micros).toBe(40);
  });
});

describe("errors and limits", () => {
  it("show the message and whether the run can continue", () => {
    const story = inTurn().emit("error", { code: "PARSE_ERROR", message: "A frame is broken.", recoverable: true });
    story.emit("plugin_error", { pluginId: "p", pluginName: "Lint", error: "No config." });
    story.emit("crash", { exitCode: 137, stderr: "Killed" });
    expect(seen(story).errors).toMatchObject([
      { type: "error.reported", code: "PARSE_ERROR", message: "A frame is broken.", fatal: false },
      { type: "plugin.failed", message: "Lint: No config.", fatal: false },
      {
        type: "error.crash",
        message: "The agent's process ended with code 137.",
        fatal: true,
        data: { stderr: "Killed" },
      },
    ]);
  });

  it("show retries, and mark the retried turn", () => {
    const view = seen(inTurn().emit("retry", { attempt: 1, maxAttempts: 3, reason: "529", delayMs: 1_000 }).endTurn());
    expect(view.retries).toMatchObject([{ attempt: 1, maxAttempts: 3, reason: "529", delayMs: 1_000 }]);
    expect(view.turns[0]?.retried).toBe(true);
  });

  it("show context usage, compactions and rate limits", () => {
    const story = inTurn().emit("context_limit_warning", { usedTokens: 90, maxTokens: 100, pctUsed: 90 });
    story.emit("context_compacted", { summary: "Dropped.", tokensSaved: 60 }).emit("rate_limited", { retryAfterMs: 5 });
    const view = seen(story);
    expect(view.limits).toMatchObject({
      context: { usedTokens: 90, maxTokens: 100, pctUsed: 90 },
      compactions: 1,
      rateLimited: { retryAfterMs: 5 },
    });
    expect(view.notes.map(({ type }) => type)).toEqual(["limit.context_compacted", "limit.rate_limited"]);
  });
});

describe("extensions of the agent", () => {
  it("plugins, skills and instructions are listed once, with their uses", () => {
    const plugin = { pluginId: "p", pluginName: "Lint" };
    const story = inTurn()
      .emit("plugin_loaded", { ...plugin, version: "2.0" })
      .emit("plugin_invoked", plugin)
      .emit("plugin_invoked", plugin);
    story
      .emit("skill_loaded", { skillName: "review", source: "built-in" })
      .emit("skill_invoked", { skillName: "review" });
    story.emit("agentdoc_read", { path: "AGENTS.md" }).emit("agentdoc_read", { path: "AGENTS.md" });
    const view = seen(story);
    expect(view.plugins).toEqual([{ id: "p", name: "Lint", version: "2.0", uses: 2 }]);
    expect(view.skills).toEqual([{ name: "review", source: "built-in", uses: 1 }]);
    expect(view.instructions).toEqual(["AGENTS.md"]);
  });

  it("subagents show their task, run and result, even several turns later", () => {
    const first = { subagentId: "s1", agentName: "explorer" };
    const second = { subagentId: "s2", agentName: "explorer" };
    const story = inTurn().emit("subagent_spawn", {
      ...first,
      prompt: "Look.",
      childRunId: "01K9ZC0000CH11D00000000000",
    });
    story
      .emit("subagent_spawn", { ...second, prompt: "Look there." })
      .endTurn()
      .turn();
    story.emit("subagent_error", { ...second, error: "Nothing there." });
    const cost = { totalUsd: 0.002, inputTokens: 9, outputTokens: 6 };
    expect(seen(story.emit("subagent_result", { ...first, summary: "Found.", cost })).subagents).toMatchObject([
      {
        id: "s1",
        status: "completed",
        prompt: "Look.",
        childRunId: "run_01K9ZC0000CH11D00000000000",
        summary: "Found.",
        usage: { micros: 2_000 },
      },
      { id: "s2", status: "failed", error: "Nothing there." },
    ]);
  });

  it("images are kept unchanged", () => {
    const story = inTurn().emit("image_output", { mimeType: "image/svg+xml", base64: "PHN2Zy8+" });
    story.emit("image_output", { mimeType: "image/png", filePath: "out.png" });
    expect(seen(story).images).toMatchObject([
      { mime: "image/svg+xml", base64: "PHN2Zy8+", turn: 1 },
      { mime: "image/png", filePath: "out.png" },
    ]);
  });
});
