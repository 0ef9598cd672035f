import type { AgentEvent } from "@spoor/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_RESULT_TEXT, ResultText } from "./result-text.ts";
import { ResultBuilder } from "./run-result.ts";

describe("the text of a result", () => {
  it("is the end of all messages, and says how many characters are missing", () => {
    const message = fc.tuple(fc.nat({ max: 3 }), fc.constantFrom("", "a", "bc", "é😀", "0123456789"));
    fc.assert(
      fc.property(fc.array(message), fc.integer({ min: 1, max: 20 }), (messages, limit) => {
        const resultText = new ResultText(limit);
        for (const [turn, text] of messages) resultText.add(turn, text);
        const whole = messages.map(([, text]) => text).join("\n\n");
        const { text, cut } = resultText.read();
        expect(whole.endsWith(text)).toBe(true);
        expect(text.length + cut).toBe(whole.length);
        expect(text.isWellFormed()).toBe(true);
        expect(text.length).toBeGreaterThanOrEqual(Math.min(whole.length, limit - 1));
      }),
    );
  });

  it("leaves out turns that were retried", () => {
    const resultText = new ResultText();
    resultText.add(1, "one");
    resultText.add(2, "half");
    resultText.retry(2);
    resultText.add(2, "late");
    resultText.add(3, "two");
    expect(resultText.read()).toEqual({ text: "one\n\ntwo", cut: 0 });
  });

  it("takes bounded memory, and a result says what was cut", () => {
    const message = (length: number): AgentEvent => ({
      ...{ type: "message_stop", runId: "r", agent: "toy", timestamp: 1 },
      text: "x".repeat(length),
    });
    const exit = { code: 0, signal: null };
    const small = new ResultBuilder({ runId: "r", agent: "toy" });
    small.add(message(5));
    expect(small.build(exit)).not.toHaveProperty("textCut");
    const large = new ResultBuilder({ runId: "r", agent: "toy" });
    for (let n = 0; n < 200; n += 1) large.add(message(1_000_000));
    const { text, textCut } = large.build(exit);
    expect(text).toHaveLength(MAX_RESULT_TEXT);
    expect(textCut).toBe(200 * 1_000_000 + 199 * 2 - MAX_RESULT_TEXT);
  });
});
