import { describe, expect, it } from "vitest";
import { createSelection } from "../recorder/selection.ts";
import { createHiding } from "./hide-parts.ts";

const hide = createHiding({});

describe("what is not to be recorded", () => {
  it.each([
    [{ type: "content_block_delta", delta: { type: "thinking_delta", thinking: "hm" } }],
    [
      {
        type: "assistant",
        message: {
          content: [
            { type: "thinking", thinking: "hm", signature: "hm" },
            { type: "text", text: "said" },
          ],
        },
      },
    ],
    [
      {
        method: "session/update",
        params: { update: { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } } },
      },
    ],
    [{ method: "item/reasoning/summaryTextDelta", params: { delta: "hm", itemId: "i" } }],
    [
      {
        type: "item.completed",
        item: { type: "reasoning", id: "r", summary: ["hm", { text: "hm" }], encrypted_content: "hm" },
      },
    ],
    [{ type: "content_block_delta", delta: { type: "input_json_delta", partial_json: "hm" } }],
    [{ choices: [{ delta: { reasoning_content: "hm", content: "said" } }] }],
  ])("is blanked in %j, and nothing else is", (frame) => {
    const hidden = hide(JSON.stringify(frame));
    expect(hidden).toBe(JSON.stringify(frame).replaceAll('"hm"', '""'));
  });

  it("keeps a line byte for byte that only mentions such parts", () => {
    const line = '{"type": "text", "text":"I was thinking", "id":12345678901234567890, "n":1.0, "n":2, "thinking":""}';
    expect(hide(line)).toBe(line);
  });

  it("keeps the parts that are to be recorded", () => {
    const thinking = JSON.stringify({ type: "thinking_delta", thinking: "hm" });
    const input = JSON.stringify({ type: "input_json_delta", partial_json: "hm" });
    expect(createHiding({ record_thinking: true })(thinking)).toBe(thinking);
    expect(createHiding({ record_thinking: true })(input)).not.toContain("hm");
    expect(createHiding({ record_thinking: true, record_tool_input: true })(input)).toBe(input);
  });

  it("is not searched in lines that are not frames, and is dropped from frames nested too deep", () => {
    expect(hide("I was thinking of a reason")).toBe("I was thinking of a reason");
    const endless = `${'{"thinking":['.repeat(20_000)}"hm"${"]}".repeat(20_000)}`;
    expect(hide(endless)).not.toContain("hm");
  });

  it("is not quoted in a warning during a thought", () => {
    const select = createSelection({});
    const base = { runId: "01K9ZC0000SP00R00000000000", agent: "claude", timestamp: 1 };
    expect(select({ type: "thinking_start", ...base })).toBeUndefined();
    const message = "The final text is not what was streamed; the streamed text stays. Final: hm";
    expect(select({ type: "debug", level: "warn", message, ...base })).toMatchObject({
      message: expect.not.stringContaining("hm"),
    });
    expect(select({ type: "thinking_stop", thinking: "hm", ...base })).toBeUndefined();
    expect(select({ type: "debug", level: "warn", message, ...base })).toMatchObject({ message });
  });
});
