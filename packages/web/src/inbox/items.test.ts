import { createRunFold } from "@spoor/protocol";
import type { ApprovalRecord, RunRecord } from "@spoor/protocol/client";
import fc from "fast-check";
import { expect, test } from "vitest";
import { answeredToday, approvalItem, inboxItems, nextAfter } from "./items.ts";
import { ledHere } from "./steps.ts";

const asked = (id: string, more: Partial<ApprovalRecord> = {}): ApprovalRecord => ({
  approval_id: id,
  run_id: `run_${id}`,
  status: "pending",
  requested_at: "2026-11-16T10:00:00.000Z",
  ...more,
});

const blocked = (run_id: string, pending: number): RunRecord =>
  ({ run_id, agent: "claude", state: "blocked", pending, updated_at: "2026-11-16T10:00:00.000Z" }) as RunRecord;

test("what waits is listed by its deadline; what has none comes last, and questions are listed, too", () => {
  const runs = new Map([
    ["run_b", blocked("run_b", 1)],
    ["run_q", blocked("run_q", 1)],
    ["run_p", blocked("run_p", 0)],
  ]);
  const pending = [
    asked("a"),
    asked("b", { expires_at: "2026-11-16T10:20:00.000Z" }),
    asked("c", { expires_at: "2026-11-16T10:05:00.000Z" }),
  ];
  const items = inboxItems({ pending, runs });
  // A run that is only paused asks nothing.
  expect(items.map(({ kind, id }) => [kind, id])).toEqual([
    ["approval", "c"],
    ["approval", "b"],
    ["approval", "a"],
    ["question", "run_q"],
  ]);
});

test("no order of arrival changes the list, and no deadline comes before an earlier one", () => {
  const deadline = fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined });
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(fc.uuid(), deadline), { selector: ([id]) => id, maxLength: 12 }), (given) => {
      const records = given.map(([id, minutes]) =>
        asked(id, minutes === undefined ? {} : { expires_at: new Date(minutes * 60_000).toISOString() }),
      );
      const order = (pending: ApprovalRecord[]) => inboxItems({ pending, runs: new Map() });
      const items = order(records);
      expect(order(records.toReversed())).toEqual(items);
      const times = items.map(({ expiresAt }) => (expiresAt ? Date.parse(expiresAt) : Number.MAX_VALUE));
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    }),
  );
});

test("after an answer the item behind it is selected, or the last one", () => {
  const [a, b, c] = ["a", "b", "c"].map((id) => approvalItem(asked(id), undefined));
  if (!a || !b || !c) throw new Error("Three items were made.");
  expect(nextAfter([a, b, c], "a", [b, c])).toBe(b);
  expect(nextAfter([a, b, c], "b", [a, c])).toBe(c);
  expect(nextAfter([a, b, c], "c", [a, b])).toBe(b);
  expect(nextAfter([a], "a", [])).toBeUndefined();
});

test("only what was decided on the reader's own day is listed as answered today", () => {
  const now = new Date(2026, 10, 16, 0, 30).getTime();
  const at = (ms: number) => asked(String(ms), { status: "approved", resolved_at: new Date(now - ms).toISOString() });
  expect(answeredToday([at(60_000), at(3_600_000)], now)).toHaveLength(1);
});

test("the last three steps before a question are what the agent said and did", () => {
  const fold = createRunFold();
  let sequence = 0;
  const add = (type: string, data: object) =>
    fold.fold({
      ...{ schema_version: "1", event_id: `evt_${sequence}`, run_id: "run_1", task_id: "task_1" },
      ...{ sequence: sequence++, type, data, occurred_at: new Date(sequence * 1000).toISOString() },
    } as never);
  add("run.created", { agent: "claude" });
  add("user.message", { text: "Fix it." });
  add("turn.started", { turn_index: 1 });
  for (const [id, kind, input] of [
    ["c1", "file_read", { path: "a.js" }],
    ["c2", "shell", { command: "npm test\nnpm run x" }],
  ] as const) {
    add("assistant.tool_call_proposed", { tool_call_id: id, tool_name: kind, input, turn_index: 1 });
    add("tool.invoked", { tool_call_id: id, tool_name: kind, kind, turn_index: 1 });
    add("tool.completed", { tool_call_id: id, tool_name: kind, kind });
  }
  add("assistant.text_complete", { text: "I would like\n to remove it.", turn_index: 1, block_index: 0 });
  add("tool.invoked", { tool_call_id: "c3", tool_name: "Bash", kind: "shell", input: { command: "rm x" } });
  add("approval.requested", { approval_id: "appr_1", kind: "shell_command", tool_call_id: "c3" });
  const steps = ledHere(fold.snapshot(), "appr_1");
  expect(steps.map(({ verb, text }) => [verb, text])).toEqual([
    [undefined, "I would like to remove it."],
    ["Run", "npm test"],
    ["Read", "a.js"],
  ]);
});
