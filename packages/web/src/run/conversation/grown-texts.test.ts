import { createRunFold, type Envelope } from "@spoor/protocol";
import { expect, it } from "vitest";
import { createRowBuilder } from "./build-rows.ts";

const story: [type: string, data: Envelope["data"]][] = [
  ["run.created", { agent: "claude" }],
  ["user.message", { content: "Fix it." }],
  ["turn.started", { turn_index: 1 }],
  ["assistant.text_delta", { turn_index: 1, block_index: 0, delta: "One " }],
  ["assistant.text_delta", { turn_index: 1, block_index: 0, delta: "text." }],
  ["tool.invoked", { tool_call_id: "c1", tool_name: "Bash", kind: "shell" }],
  ["assistant.text_delta", { turn_index: 1, block_index: 1, delta: "Another " }],
  ["assistant.text_delta", { turn_index: 1, block_index: 1, delta: "text." }],
  ["tool.completed", { tool_call_id: "c1", tool_name: "Bash", kind: "shell" }],
  ["assistant.text_complete", { turn_index: 1, block_index: 1, text: "Another text." }],
  ["turn.completed", { turn_index: 1 }],
  ["run.finished", {}],
];

it("rows that are made frame by frame are those that are made at once, and unchanged ones stay the same", () => {
  const fold = createRunFold();
  const build = createRowBuilder();
  let before: ReturnType<typeof build> = [];
  for (const [sequence, [type, data]] of story.entries()) {
    fold.fold({
      ...{ schema_version: "1", event_id: `evt_${sequence}`, run_id: "run_1", sequence, type, data },
      occurred_at: "2026-11-02T09:00:00Z",
    });
    const rows = build(fold.snapshot());
    expect(rows).toEqual(createRowBuilder()(fold.snapshot()));
    if (type === "assistant.text_delta" && rows.length === before.length) {
      expect(rows.filter((row, at) => row !== before[at])).toHaveLength(1);
    }
    before = rows;
  }
  expect(before.length).toBeGreaterThan(4);
});
