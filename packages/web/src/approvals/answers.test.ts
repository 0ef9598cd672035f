import { type ApprovalRecord, type Resolve, SpoorClientError } from "@spoor/protocol/client";
import { expect, test } from "vitest";
import { createAnswers } from "./answers.ts";
import { byWhom } from "./who-answered.ts";

const record = (more: Partial<ApprovalRecord>): ApprovalRecord => ({
  approval_id: "appr_1",
  run_id: "run_1",
  status: "pending",
  requested_at: "2026-11-16T10:00:00.000Z",
  ...more,
});

function place(resolve: (answer: Resolve) => Promise<ApprovalRecord>, stored = record({})) {
  const mine = new Set<string>();
  const sent: Resolve[] = [];
  const keys: string[] = [];
  const server = {
    resolve: (_: string, answer: Resolve, { idempotencyKey }: { idempotencyKey: string }) => {
      sent.push(answer);
      keys.push(idempotencyKey);
      return resolve(answer);
    },
    get: async () => stored,
  };
  return { answers: createAnswers(server, { add: (id) => mine.add(id), has: (id) => mine.has(id) }), sent, keys, mine };
}

const refused = (code: string) => new SpoorClientError(code, "Refused.", { retryable: false });

test("an answer names the action that was shown, stays 'sending' until its event comes, and is remembered as mine", async () => {
  const { answers, sent } = place(async () => record({ status: "rejected" }));
  let calls = 0;
  answers.subscribe(() => calls++);
  const sending = answers.send({ id: "appr_1", actionHash: "abc" }, "reject", "  use trash  ");
  expect(answers.read("appr_1")).toEqual({ phase: "sending", decision: "reject" });
  // A second press while the first is on its way sends nothing.
  await answers.send({ id: "appr_1", actionHash: "abc" }, "approve");
  await sending;
  expect(sent).toEqual([{ decision: "reject", action_hash: "abc", comment: "use trash" }]);
  expect(answers.read("appr_1")?.phase).toBe("sending");
  expect(answers.isMine("appr_1")).toBe(true);
  expect(calls).toBeGreaterThan(0);
});

test.each([
  [{ status: "rejected", by: "http" }, "Already denied from another tab."],
  [{ status: "approved", by: "cli:ann" }, "Already approved by ann in a terminal."],
  [{ status: "timed_out", by: "deadline" }, "Nobody answered in time, so it was denied."],
] as const)("the loser of a race is told who won: %o", async (winner, told) => {
  const { answers } = place(() => Promise.reject(refused("approval_resolved")), record(winner));
  await answers.send({ id: "appr_1" }, "approve");
  expect(answers.read("appr_1")).toEqual({ phase: "beaten", decision: "approve", told });
  expect(answers.isMine("appr_1")).toBe(false);
});

test("an answer that did not reach the server says why and can be given again, with the same key", async () => {
  let isUp = false;
  const { answers, keys, mine } = place(() =>
    isUp ? Promise.resolve(record({})) : Promise.reject(refused("network")),
  );
  await answers.send({ id: "appr_1" }, "approve");
  expect(answers.read("appr_1")).toMatchObject({ phase: "failed", told: expect.stringContaining("Answer again") });
  isUp = true;
  await answers.send({ id: "appr_1" }, "approve");
  expect([...mine]).toEqual(["appr_1"]);
  expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
});

test("an answer that nothing waits for, or that is for another action, is explained", async () => {
  const { answers } = place(() => Promise.reject(refused("approval_gone")));
  await answers.send({ id: "appr_1" }, "approve");
  expect(answers.read("appr_1")?.told).toBe("Nothing waits for this answer any more.");
  const { answers: others } = place(() => Promise.reject(refused("action_changed")));
  await others.send({ id: "appr_1" }, "approve");
  expect(others.read("appr_1")).toMatchObject({ phase: "failed" });
});

test.each([
  [{ status: "cancelled", decidedBy: "agent" }, "no longer asked"],
  [{ status: "timed_out" }, "no answer in time"],
  [{ status: "rejected", decidedBy: "http" }, "by another tab"],
  [{ status: "approved", decidedBy: "cli:ann" }, "by ann in a terminal"],
] as const)("a decided approval names who decided it, if anybody did: %o", (approval, words) => {
  expect(byWhom(approval, false)).toBe(words);
});
