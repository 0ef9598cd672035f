import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { validStream } from "../../../testing/arbitrary.ts";
import { recorded } from "../../../testing/record.ts";
import { stream } from "../../../testing/view/fold-script.ts";
import type { Envelope } from "../../envelope/envelope.ts";
import { createSpanFold, spansOf } from "./span-fold.ts";
import { timeParts } from "./time-parts.ts";
import type { RunSpan, RunSpans } from "./types.ts";

const folder = path.join(import.meta.dirname, "../../../fixtures/envelopes");

/** Gives each event the time after the second of its number, or the given one. */
function timed(...events: [at: number, type: string, data?: unknown][]): Envelope[] {
  const envelopes = stream(...events.map(([, type, data]) => [type, data] as const));
  return envelopes.map((envelope, index) => ({
    ...envelope,
    occurred_at: new Date(Date.UTC(2026, 10, 2, 9) + (events[index]?.[0] ?? 0)).toISOString(),
  }));
}

const brief = ({ spans }: RunSpans): string[] => spans.map(line);
const line = ({ kind, from, to, sequence, lastSequence, turn, label, detail, outcome, of }: RunSpan): string =>
  [
    `${kind} ${from}–${to ?? ""}`,
    `#${sequence}–${lastSequence ?? ""}`,
    turn && `turn ${turn}`,
    of,
    label,
    detail && JSON.stringify(detail),
    outcome,
  ]
    .filter(Boolean)
    .join(" · ");

describe("the spans of the golden runs", () => {
  it("are those that were looked at", async () => {
    const runs = readdirSync(folder).map((name) => {
      const lines = readFileSync(path.join(folder, name), "utf8").trimEnd().split("\n");
      const spans = spansOf(lines.map((text) => JSON.parse(text)));
      const costs = spans.costs.map(({ at, micros, source }) => `cost ${at}: ${micros} ${source ?? ""}`.trimEnd());
      const parts = JSON.stringify(timeParts(spans.spans, spans.end ?? spans.last)).replaceAll('"', "");
      return [name, ...brief(spans), ...costs, `end ${spans.end ?? "open"} ${parts}`].join("\n  ");
    });
    await expect(`${runs.join("\n")}\n`).toMatchFileSnapshot("../../../testing/view/golden-spans.txt");
  });
});

describe("spans", () => {
  it("begin and end with the events of their rule", () => {
    const spans = spansOf(
      timed(
        [0, "run.created"],
        [10, "turn.started", { turn_index: 1, model: "m" }],
        [10, "assistant.thinking_started", { turn_index: 1, block_index: 0 }],
        [40, "assistant.thinking_complete", { turn_index: 1, block_index: 0, text: "…" }],
        [50, "assistant.tool_call_proposed", { tool_call_id: "c1", tool_name: "Bash", input: { command: "rm\n x" } }],
        [50, "tool.invoked", { tool_call_id: "c1", tool_name: "Bash", kind: "shell", turn_index: 1 }],
        [60, "approval.requested", { approval_id: "a1", tool_call_id: "c1", kind: "shell_command" }],
        [160, "approval.resolved", { approval_id: "a1", decision: "approved", by: "page" }],
        [160, "tool.started", { tool_call_id: "c1", tool_name: "Bash", kind: "shell" }],
        [200, "tool.completed", { tool_call_id: "c1", tool_name: "Bash", kind: "shell" }],
        [210, "limit.retry_scheduled", { attempt: 1, max_attempts: 3, reason: "529 overloaded", delay_ms: 40 }],
        [300, "turn.completed", { turn_index: 1 }],
        [310, "run.finished"],
      ),
    );
    expect(brief(spans)).toEqual([
      "turn 10–300 · #1–11 · turn 1 · m · completed",
      "thinking 10–40 · #2–3 · turn 1",
      'tool 50–200 · #5–9 · turn 1 · shell · Bash · "rm x" · completed',
      "wait 60–160 · #6–7 · turn 1 · approval · approved",
      'retry 210–250 · #10–12 · turn 1 · "529 overloaded"',
    ]);
    expect(spans.end).toBe(310);
    expect(timeParts(spans.spans, 310)).toEqual({
      waiting: 100,
      retrying: 40,
      tool: 50,
      model: 100,
      idle: 20,
      whole: 310,
    });
  });

  it("stay open in a run that goes on, and end with the run", () => {
    const live = timed(
      [0, "run.created"],
      [5, "turn.started", { turn_index: 1 }],
      [7, "tool.started", { tool_call_id: "c1", tool_name: "Bash", kind: "shell" }],
    );
    expect(spansOf(live).spans.map(({ to }) => to)).toEqual([undefined, undefined]);
    expect(timeParts(spansOf(live).spans, 27)).toMatchObject({ tool: 20, model: 2, idle: 5, whole: 27 });
    const [over] = timed([30, "run.cancelled", { reason: "" }]);
    const ended = spansOf([...live, { ...(over as Envelope), sequence: 3 }]);
    expect(ended.spans.map(({ to, outcome }) => [to, outcome])).toEqual([
      [30, "cancelled"],
      [30, "cancelled"],
    ]);
  });

  it("of a rejected call are points, because the call never ran", () => {
    const { spans } = spansOf(
      timed(
        [0, "run.created"],
        [5, "tool.invoked", { tool_call_id: "c1", tool_name: "Bash", kind: "shell" }],
        [90, "policy.tool_blocked", { tool_call_id: "c1", tool_name: "Bash", reason: "no" }],
        [95, "policy.tool_blocked", { tool_call_id: "c2", tool_name: "Bash", reason: "no", duration_ms: 80 }],
      ),
    );
    expect(spans.map(({ from, to, outcome }) => [from, to, outcome])).toEqual([
      [90, 90, "blocked"],
      [95, 95, "blocked"],
    ]);
  });

  it("whose start is missing begin by their duration, or are points", () => {
    const { spans } = spansOf(
      timed(
        [0, "gap.events_pruned"],
        [100, "tool.completed", { tool_call_id: "c1", tool_name: "Read", kind: "file_read", duration_ms: 30 }],
        [110, "tool.completed", { tool_call_id: "c2", tool_name: "Read", kind: "file_read" }],
        [120, "turn.completed", { turn_index: 4 }],
      ),
    );
    expect(spans.map(({ from, to }) => [from, to])).toEqual([
      [70, 100],
      [110, 110],
    ]);
  });

  it("of a question end with its answer, or when the model goes on without one", () => {
    const { spans } = spansOf(
      timed(
        [0, "run.created"],
        [10, "input.requested", { interaction_id: "q1", question: "Which?" }],
        [20, "user.message", { turn_index: 1, text: "by the way", via: "steer" }],
        [30, "user.message", { turn_index: 1, text: "this", interaction_id: "q1" }],
        [40, "input.requested", { interaction_id: "q2", question: "And?" }],
        [70, "assistant.text_delta", { turn_index: 1, delta: "Never mind." }],
        [80, "run.paused", { by: "page" }],
        [95, "run.unpaused"],
      ),
    );
    expect(spans.map(({ of, from, to }) => [of, from, to])).toEqual([
      ["question", 10, 30],
      ["question", 40, 70],
      ["pause", 80, 95],
    ]);
  });

  it("of a lost worker end when it was last seen, and what waits for a person still waits", () => {
    const { spans } = spansOf(
      timed(
        [0, "run.created"],
        [10, "turn.started", { turn_index: 1 }],
        [20, "tool.started", { tool_call_id: "c1", tool_name: "Bash", kind: "shell" }],
        [30, "approval.requested", { approval_id: "a1" }],
        [9_000, "gap.run_disconnected", { reason: "boot_reconcile", since_at: "2026-11-02T09:00:00.040Z" }],
        [9_010, "run.started", { attempt: 2 }],
        [9_020, "turn.started", { turn_index: 1 }],
      ),
    );
    expect(spans.map(({ kind, from, to }) => [kind, from, to])).toEqual([
      ["turn", 10, 40],
      ["tool", 20, 40],
      ["wait", 30, undefined],
      ["turn", 9_020, undefined],
    ]);
  });

  it("keep the order of their sequence when a clock goes backwards", () => {
    const { spans, last } = spansOf(
      timed(
        [0, "run.created"],
        [500, "turn.started", { turn_index: 1 }],
        [200, "tool.started", { tool_call_id: "c1", tool_name: "Bash", kind: "shell" }],
        [-900, "tool.completed", { tool_call_id: "c1", tool_name: "Bash", kind: "shell" }],
        [600, "turn.completed", { turn_index: 1 }],
      ),
    );
    expect(spans.map(({ from, to }) => [from, to])).toEqual([
      [500, 600],
      [500, 500],
    ]);
    expect(last).toBe(600);
  });

  it("are the same when deltas and pieces of output are left out", () => {
    for (const name of readdirSync(folder)) {
      const lines = readFileSync(path.join(folder, name), "utf8").trimEnd().split("\n");
      const all: Envelope[] = lines.map((text) => JSON.parse(text));
      const blocks = all.filter(({ type }) => !/^assistant\..*_delta$|^tool\.shell\.output_chunk$/.test(type));
      expect(brief(spansOf(blocks)), name).toEqual(brief(spansOf(all)));
    }
  });

  it("of any stream are found event by event as all at once, and end in order", () => {
    fc.assert(
      fc.property(validStream(), (events) => {
        const envelopes = recorded(events);
        const fold = createSpanFold();
        for (const envelope of envelopes) {
          expect(fold.fold(envelope)).toBe(true);
          expect(fold.fold(envelope)).toBe(false);
          fold.snapshot();
        }
        const whole = fold.snapshot();
        expect(whole).toEqual(spansOf(envelopes));
        expect(JSON.parse(JSON.stringify(whole))).toEqual(whole);
        for (const { from, to, sequence, lastSequence } of whole.spans) {
          expect(to ?? whole.last).toBeGreaterThanOrEqual(from);
          expect(lastSequence ?? sequence).toBeGreaterThanOrEqual(sequence);
        }
        if (whole.end !== undefined) expect(whole.spans.every(({ to }) => to !== undefined)).toBe(true);
      }),
    );
  });

  it("survive envelopes that are none", () => {
    const fold = createSpanFold();
    for (const value of [null, 7, {}, { type: 3, sequence: 0 }, { type: "turn.started", sequence: 0.5 }]) {
      expect(fold.fold(value as never)).toBe(false);
    }
    const [first] = timed([0, "turn.started"]);
    expect(fold.fold({ ...(first as Envelope), data: null as never, occurred_at: "soon" })).toBe(true);
    expect(fold.snapshot().spans).toHaveLength(1);
  });
});

it("the cost is a step at each event that changes it", () => {
  const tick = (micros: number) => ({ cumulative_cost_micros_usd: micros, cost_source: "estimated" });
  const { costs } = spansOf(
    timed(
      [0, "run.created"],
      [10, "cost.tick", tick(0)],
      [20, "cost.tick", tick(40)],
      [30, "cost.tick", tick(40)],
      [40, "turn.completed", { turn_index: 1, run_cumulative_cost_micros_usd: 90 }],
    ),
  );
  expect(costs).toEqual([
    { at: 20, micros: 40, source: "estimated", sequence: 2 },
    { at: 40, micros: 90, source: "estimated", sequence: 4 },
  ]);
});

// A fold that looks back at all spans for each event would run into the time limit of the test.
it("a run of 100,000 events has a span for each of its turns and calls", () => {
  const events: [string, unknown][] = [["run.created", {}]];
  for (let turn = 1; events.length < 100_000; turn += 1) {
    events.push(["turn.started", { turn_index: turn }]);
    for (let delta = 0; delta < 40; delta += 1) events.push(["assistant.text_delta", { turn_index: turn, delta: "a" }]);
    events.push(["tool.started", { tool_call_id: `c${turn}`, tool_name: "Bash", kind: "shell" }]);
    events.push(["tool.completed", { tool_call_id: `c${turn}`, tool_name: "Bash", kind: "shell" }]);
    events.push(["turn.completed", { turn_index: turn }]);
  }
  const envelopes = stream(...events);
  const { spans, last } = spansOf(envelopes);
  const turns = envelopes.filter(({ type }) => type === "turn.started").length;
  for (const kind of ["turn", "tool"]) expect(spans.filter((span) => span.kind === kind)).toHaveLength(turns);
  expect(timeParts(spans, last)).toMatchObject({ waiting: 0, whole: last });
});
