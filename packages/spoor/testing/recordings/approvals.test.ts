import type { AgentEventOf } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/agents/registry.ts";
import { eventsOf, linesOf, recordingsOf } from "../run/recorded.ts";

const asking = adapters.filter(({ name }) => recordingsOf(name).length > 0);

/** All permission requests in the recordings of an agent. */
async function questionsOf(adapter: (typeof adapters)[number]) {
  const questions: AgentEventOf<"approval_request">[] = [];
  for (const recording of recordingsOf(adapter.name)) {
    if (!linesOf(recording).some((line) => /permission|approval|can_use_tool|confirm/i.test(line))) continue;
    for (const event of await eventsOf(adapter, recording))
      if (event.type === "approval_request") questions.push(event);
  }
  return questions;
}

describe("a permission request", { timeout: 120_000 }, () => {
  const withDiff = new Set<string>();

  it.each(asking)("describes the action: $name", async (adapter) => {
    for (const question of await questionsOf(adapter)) {
      const what = `${question.toolName}: ${question.detail}`;
      if (question.toolCallId !== undefined) expect(question, what).toHaveProperty("input");
      if (question.diff === undefined) continue;
      expect(question.diff, what).toMatch(/^@@ .*@@/m);
      withDiff.add(adapter.name);
    }
  });

  it("contains the diff of an edit, for every agent that was recorded asking about one", () => {
    expect([...withDiff].sort()).toEqual(["acp", "codex", "copilot", "gemini"]);
  });
});
