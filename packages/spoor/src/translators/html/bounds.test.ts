import type { Envelope } from "@spoor/protocol";
import { expect, it } from "vitest";
import { createBounds } from "./bounds.ts";

const limits = { text: 1_000, allTexts: 3_000, events: 20, picture: 500 };

const event = (type: string, data: Envelope["data"], sequence = 0): Envelope => ({
  ...{ schema_version: "1", event_id: `evt_${sequence}`, run_id: "run_1", sequence },
  ...{ occurred_at: "2026-11-02T09:00:00Z", type, data },
});

it("takes a short run as it is", () => {
  const { take, omissions } = createBounds(limits);
  const one = event("tool.completed", { output: { text: "x".repeat(900), lines: [1, null, true] } });
  expect(take(one)).toEqual(one);
  expect(omissions()).toEqual([]);
});

it("cuts a long text, and says how much is left out", () => {
  const { take, omissions } = createBounds(limits);
  const taken = take(event("assistant.text_complete", { text: "x".repeat(1_500) }));
  expect(taken?.data.text).toBe(`${"x".repeat(1_000)}\n… 500 more characters are left out of this file`);
  expect(omissions()).toEqual(["One long text is cut."]);
});

it("cuts no character in half", () => {
  const taken = createBounds(limits).take(event("user.message", { text: `${"x".repeat(999)}😀😀` }));
  expect(taken?.data.text).toMatch(/^x{999}\n… 4 more/);
});

it("leaves out pieces and cuts texts to their first words once the whole is long", () => {
  const { take, omissions } = createBounds(limits);
  for (let index = 0; index < 5; index += 1) take(event("tool.completed", { output: "x".repeat(900) }, index));
  expect(take(event("tool.shell.output_chunk", { data: "y" }, 7))).toBeUndefined();
  expect(String(take(event("user.message", { text: "z".repeat(900) }, 8))?.data.text)).toMatch(/^z{200}\n…/);
  expect(omissions()).toEqual([
    "The run is long: from event 4 on, texts are cut to their first words and one event is left out.",
  ]);
});

it("takes only the totals of a run of very many events, however many follow", () => {
  const { take } = createBounds(limits);
  const kept = Array.from({ length: 1_000 }, (_, index) => take(event("tool.started", {}, index))).filter(Boolean);
  expect(kept).toHaveLength(20);
  expect(take(event("run.finished", {}, 1_000))).toBeDefined();
});

it("leaves out large pictures, and counts small ones", () => {
  const { take, omissions } = createBounds(limits);
  expect(take(event("assistant.image", { mime: "image/png", base64: "A".repeat(600) }))?.data).toEqual({
    mime: "image/png",
  });
  expect(take(event("assistant.image", { base64: "A".repeat(400) }))?.data).toEqual({ base64: "A".repeat(400) });
  expect(omissions()).toEqual(["One large picture is left out."]);
});
