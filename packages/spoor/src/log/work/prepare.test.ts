import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draft } from "../../../testing/log/drafts.ts";
import { newRow, type RunRow } from "../chunks/run-row.ts";
import { LogError } from "../errors.ts";
import type { RunAppend } from "../log.ts";
import { type FirstReceipt, type PlannedAppend, prepare, receiptOf } from "./prepare.ts";

const create = { agent: "toy", kind: "agent" };
const stored = (run_id: string, changes: Partial<RunRow> = {}): RunRow => ({
  ...newRow({ run_id, task_id: "task_1", session_id: null, ...create, created_at: 0 }),
  ...{ run: 1, last_sequence: 9, last_position: 99 },
  ...changes,
});

function plan(
  batches: readonly (readonly RunAppend[])[],
  { rows = [] as RunRow[], keys = [] as [string, FirstReceipt | LogError][] } = {},
) {
  const runs = new Map(rows.map((row) => [row.run_id, row]));
  return prepare(
    batches,
    { runs, keys: new Map(keys) },
    { now: 7, newTaskId: () => "task_new", isKnownType: () => false, write: () => {} },
  );
}

/** Does what a store does with a plan: updates every run's row to the state after its drafts. */
function write({ runs, outcomes }: ReturnType<typeof plan>) {
  for (const run of runs) {
    const { last_sequence, last_position } = run.row;
    const count = run.drafts.length;
    run.row = { ...run.row, last_sequence: last_sequence + count, last_position: last_position + count };
  }
  return outcomes.map((outcome) =>
    outcome instanceof LogError ? outcome.code : (outcome as PlannedAppend[]).map(receiptOf),
  );
}

describe("a plan", () => {
  it.each<[string, RunAppend]>([
    ["run_not_found", { run_id: "run_b", drafts: [draft("x")] }],
    ["run_exists", { run_id: "run_a", create, drafts: [draft("x")] }],
    ["fenced", { run_id: "run_a", epoch: 2, drafts: [draft("x")] }],
    ["bad_event", { run_id: "run_a", epoch: 1, drafts: [draft("x", "NoType")] }],
    ["bad_event", { run_id: "run_a", epoch: 1, drafts: [draft("x", `a.${"b".repeat(200)}`)] }],
    ["reserved_type", { run_id: "run_a", drafts: [draft("x", "run.finished")] }],
  ])("refuses a batch as %s and leaves no trace of it", (code, append) => {
    const batch = [{ run_id: "run_c", create, drafts: [draft("first")], idempotency_key: "k" }, append];
    const { outcomes, runs } = plan([batch], { rows: [stored("run_a")] });
    expect(outcomes).toMatchObject([{ code }]);
    expect(runs).toEqual([]);
  });

  it("gives consecutive sequences to the appends of one run, in the order of batches", () => {
    const append = (count: number) => ({ run_id: "run_a", drafts: Array.from({ length: count }, () => draft("x")) });
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(4), { minLength: 1, maxLength: 3 }), { maxLength: 5 }), (counts) => {
        const outcomes = write(
          plan(
            counts.map((batch) => batch.map(append)),
            { rows: [stored("run_a")] },
          ),
        );
        let next = 10;
        for (const [index, count] of counts.flat().entries()) {
          expect(outcomes.flat()[index]).toMatchObject({
            first_sequence: next,
            last_sequence: next + count - 1,
            last_position: next + count - 1 + 90,
          });
          next += count;
        }
      }),
    );
  });

  it("lets a batch append to a run that it creates", () => {
    const outcomes = write(
      plan([
        [
          { run_id: "run_a", create, drafts: [draft("x")] },
          { run_id: "run_a", epoch: 1, drafts: [draft("y")] },
        ],
      ]),
    );
    expect(outcomes).toMatchObject([[{ first_sequence: 0 }, { first_sequence: 1 }]]);
  });

  it("creates a run with the time of its first draft, or now, and a task of its own if none is named", () => {
    const { runs } = plan([
      [{ run_id: "run_a", create, drafts: [draft("x", "external.event", 5)] }],
      [{ run_id: "run_b", create: { ...create, task_id: "task_1" }, drafts: [] }],
    ]);
    expect(runs).toMatchObject([
      { isNew: true, row: { created_at: 5, task_id: "task_new" } },
      { isNew: true, row: { created_at: 7, task_id: "task_1" } },
    ]);
  });

  it("stores new facts, of the last append that has them", () => {
    const facts = (title: string) => [{ run_id: "run_a", drafts: [], facts: { title } }];
    const { runs } = plan([facts("one"), facts("two"), [{ run_id: "run_b", drafts: [draft("x")] }]], {
      rows: [stored("run_a"), stored("run_b")],
    });
    expect(runs).toMatchObject([{ row: { facts: '{"title":"two"}' }, hasNewFacts: true }, { hasNewFacts: false }]);
  });

  it("stores one of several appends with the same key, in one batch, in several or in an earlier commit", () => {
    const append = { run_id: "run_a", drafts: [draft("x")], idempotency_key: "k" };
    const rows = [stored("run_a")];
    const first = { run_id: "run_a", epoch: 1, first_sequence: 10, last_sequence: 10, last_position: 100 };
    const [written, repeated] = [
      { ...first, repeated: false },
      { ...first, repeated: true },
    ];
    expect(write(plan([[append, append], [append]], { rows }))).toEqual([[written, repeated], [repeated]]);
    const later = plan([[append]], { rows, keys: [["k", first]] });
    expect(later.runs).toEqual([]);
    expect(write(later)).toEqual([[repeated]]);
  });

  it("refuses a batch whose key has a damaged receipt", () => {
    const damaged = new LogError("damaged", "The receipt is damaged.");
    const append = { run_id: "run_a", drafts: [draft("x")], idempotency_key: "k" };
    expect(plan([[append]], { rows: [stored("run_a")], keys: [["k", damaged]] }).outcomes).toEqual([damaged]);
  });
});
