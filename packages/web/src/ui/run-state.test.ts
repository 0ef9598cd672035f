import { initialRunView } from "@spoor/protocol";
import { STALLED_AFTER_MS } from "@spoor/protocol/api/values";
import type { RunRecord } from "@spoor/protocol/client";
import { describe, expect, test } from "vitest";
import { shownState, silentFor } from "./run-state.ts";

const now = Date.parse("2026-11-16T12:00:00Z");
const before = (ms: number) => new Date(now - ms).toISOString();

const record = (facts: Partial<RunRecord>): RunRecord => ({
  run_id: "run_1",
  task_id: "task_1",
  agent: "claude",
  kind: "agent",
  status: "running",
  state: "working",
  created_at: before(10_000),
  updated_at: before(1_000),
  last_activity: before(1_000),
  first_sequence: 0,
  last_sequence: 5,
  last_position: 5,
  head: "",
  bytes: 10,
  ...facts,
});

describe("the shown state of a run", () => {
  test.each<[string, Partial<RunRecord>]>([
    ["Queued", { status: "queued", state: "idle" }],
    ["Working", {}],
    ["Needs you", { state: "blocked", pending: 1 }],
    ["Question", { state: "blocked", pending: 1, now: "asks: Which colour?" }],
    ["Needs you", { status: "awaiting_approval", state: "blocked" }],
    ["Needs you", { state: "blocked", pending: 1, paused: true }],
    ["Paused", { state: "blocked", paused: true }],
    ["Stalled", { last_activity: before(STALLED_AFTER_MS) }],
    ["Stalled", { stalled: true }],
    ["Done", { status: "completed", state: "done", ended_at: before(5) }],
    ["Done", { state: "done" }],
    ["Cancelled", { status: "cancelled", state: "done" }],
    ["Failed", { status: "failed", state: "error" }],
    ["Failed", { state: "error" }],
  ])("is %s for the record %j", (word, facts) => {
    expect(shownState(record(facts), now).word).toBe(word);
  });

  test("comes from the status if a record has no state", () => {
    const { state: _, ...old } = record({ status: "awaiting_approval" });
    expect(shownState(old, now).word).toBe("Needs you");
  });

  test("is the same word for the view of the run", () => {
    const view = initialRunView();
    expect(shownState({ ...view, status: "created", state: "idle" }, now).word).toBe("Queued");
    const working = { ...view, status: "running", state: "working", updatedAt: before(1_000) } as const;
    expect(shownState(working, now).word).toBe("Working");
    expect(shownState({ ...working, updatedAt: before(STALLED_AFTER_MS) }, now).word).toBe("Stalled");
    const question = { id: "q", status: "pending", question: "Which?" } as const;
    expect(shownState({ ...working, state: "blocked", questions: [question] }, now).word).toBe("Question");
    expect(shownState({ ...working, state: "blocked", status: "paused" }, now).word).toBe("Paused");
    expect(shownState({ ...working, state: "done", status: "cancelled" }, now).word).toBe("Cancelled");
  });

  test("is quiet from a minute of silence on, and only while it works", () => {
    expect(silentFor(record({ last_activity: before(59_000) }), now)).toBeUndefined();
    expect(silentFor(record({ last_activity: before(61_000) }), now)).toBe(61_000);
    expect(silentFor(record({ state: "blocked", pending: 1, last_activity: before(99_000) }), now)).toBeUndefined();
  });
});
