import { expect, it } from "vitest";
import { inTurn, seen, soFar, stream, whole } from "../../testing/view/fold-script.ts";
import { needsAttention, stalled } from "./attention.ts";
import { initialRunView, viewOf } from "./fold.ts";

const HOUR = 60 * 60 * 1_000;
const last = (view: { updatedAt?: string }) => Date.parse(view.updatedAt ?? "");

it("a run is stalled when it is not done and had no event for four hours", () => {
  const view = seen(inTurn());
  expect(stalled(view, last(view) + 4 * HOUR - 1)).toBe(false);
  expect(stalled(view, last(view) + 4 * HOUR)).toBe(true);
});

it("the caller can choose the time", () => {
  const view = seen(inTurn());
  expect(stalled(view, last(view) + 61_000, 60_000)).toBe(true);
  expect(needsAttention(view, last(view) + 61_000, 60_000)).toBe(true);
});

it("a run that is done or over is never stalled", () => {
  const waiting = seen(inTurn().message("Done.").endTurn());
  expect(stalled(waiting, last(waiting) + 9 * HOUR)).toBe(false);
  const failed = viewOf(whole(inTurn().emit("crash", { exitCode: 1, stderr: "" }).end()));
  expect(stalled(failed, last(failed) + 9 * HOUR)).toBe(false);
});

it("a run without events is never stalled", () => {
  expect(stalled(initialRunView(), 9 * HOUR)).toBe(false);
  expect(stalled(viewOf([{ ...stream(["run.started"])[0], occurred_at: "soon" } as never]), 9e15)).toBe(false);
});

it("errors, open questions and stalled runs need a person; working runs do not", () => {
  const working = seen(inTurn());
  const now = last(working);
  expect(needsAttention(working, now)).toBe(false);
  expect(needsAttention(working, now + 5 * HOUR)).toBe(true);
  expect(needsAttention(seen(inTurn().emit("paused", {})), now)).toBe(true);
  expect(needsAttention(viewOf(whole(inTurn().emit("crash", { exitCode: 1, stderr: "" }).end())), now)).toBe(true);
});

it("a view has the times of the first event, of the first work and of the last event", () => {
  const envelopes = soFar(inTurn().wait(5_000).message("Hi."));
  const view = viewOf(envelopes);
  expect(view.createdAt).toBe(envelopes[0]?.occurred_at);
  expect(view.startedAt).toBe(envelopes.find(({ type }) => type === "run.started")?.occurred_at);
  expect(view.updatedAt).toBe(envelopes.at(-1)?.occurred_at);
});
