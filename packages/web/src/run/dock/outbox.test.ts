import { SpoorClientError } from "@spoor/protocol/client";
import { expect, test } from "vitest";
import { createOutbox } from "./outbox.ts";

/** A tab with a draft, whose server answers as the test says. */
function tab(answer: () => Promise<{ done_at?: string }>, sending: Readonly<Record<string, string>> = {}) {
  const cell = <Value>(first: Value) => {
    let value = first;
    return {
      read: () => value,
      write: (next: Value) => {
        value = next;
      },
    };
  };
  const draft = cell("");
  const memory = cell(sending);
  const outbox = createOutbox({ send: answer, draftOf: () => draft, memory });
  return { draft, memory, outbox, settle: () => new Promise((resolve) => setImmediate(resolve)) };
}

const gone = async () => {
  throw new SpoorClientError("network", "No answer.", { retryable: true });
};

test("words that did not get there are in the draft again, before what was written since", async () => {
  const { draft, memory, outbox, settle } = tab(gone);
  draft.write("first");
  outbox.post("run_1", "first", 1);
  expect(draft.read()).toBe("");
  expect(memory.read()).toEqual({ run_1: "first" });
  draft.write("second");
  await settle();
  expect(draft.read()).toBe("first\n\nsecond");
  expect(memory.read()).toEqual({});
  expect(outbox.read("run_1")).toMatchObject({ phase: "failed", told: expect.stringContaining("cannot be reached") });
});

test("what another tab wrote meanwhile stays", async () => {
  const { draft, outbox, settle } = tab(async () => ({ done_at: "2026-11-16T10:00:00.000Z" }));
  draft.write("written in another tab");
  outbox.post("run_1", "first", 1);
  await settle();
  expect(draft.read()).toBe("written in another tab");
  expect(outbox.read("run_1")).toMatchObject({ phase: "taken" });
});

test("words that were being sent when the tab was reloaded are in the draft again", () => {
  const { draft, memory, outbox } = tab(gone, { run_1: "first" });
  expect(draft.read()).toBe("first");
  expect(memory.read()).toEqual({});
  expect(outbox.read("run_1")).toMatchObject({ phase: "failed", told: expect.stringContaining("page was left") });
});

test("a run that never answered gives the words back when it is over", async () => {
  const { draft, outbox, settle } = tab(async () => ({}));
  outbox.post("run_1", "first", 1);
  await settle();
  expect(outbox.read("run_1")).toMatchObject({ phase: "late" });
  outbox.returnLate("run_1");
  expect(draft.read()).toBe("first");
  expect(outbox.read("run_1")).toMatchObject({ phase: "failed" });
});
