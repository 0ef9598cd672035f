import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { appendedText, newOutputSignals, textAfterPrefix } from "./appended-text.ts";

const text = fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 12 });

describe("output that is repeated with more text", () => {
  it("is reported once, piece by piece", () => {
    fc.assert(
      fc.property(fc.array(text), (pieces) => {
        const call = { id: "c", reported: "" };
        let whole = "";
        const received = pieces.flatMap((piece) => {
          whole += piece;
          return newOutputSignals(call, whole).map((signal) => (signal.kind === "output" ? signal.text : "?"));
        });
        expect(received.join("")).toBe(whole);
        expect(received).not.toContain("");
      }),
    );
  });

  it("has no new part if its beginning was rewritten", () => {
    expect(textAfterPrefix("one two", "one")).toBe("");
    expect(textAfterPrefix("one two", "uno due tre")).toBe("");
  });

  it("continues after the part that is still shown if its beginning was cut off", () => {
    expect(appendedText("line 1\nline 2\n", "line 2\nline 3\n")).toBe("line 3\n");
    fc.assert(
      fc.property(text, text, text, (lost, shown, added) => {
        const now = appendedText(lost + shown, shown + added);
        expect((shown + added).endsWith(now)).toBe(true);
        expect(now.length).toBeLessThanOrEqual(added.length);
      }),
    );
  });
});
