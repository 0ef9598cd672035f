import type { ApprovalRecord } from "@spoor/protocol/client";
import { expect, test, vi } from "vitest";
import { createApprovalsStore } from "./approvals-store.ts";

const record = (id: string, more: Partial<ApprovalRecord> = {}): ApprovalRecord => ({
  approval_id: id,
  run_id: "run_1",
  status: "pending",
  requested_at: "2026-11-16T10:00:00.000Z",
  ...more,
});

test("changes during a reading lead to one more reading, and nobody who left is told", async () => {
  let waiting = [record("a")];
  let changed = () => {};
  const pending = vi.fn(async () => waiting);
  const stopped = vi.fn();
  const store = createApprovalsStore({
    pending,
    recent: async () => [record("b", { status: "approved", resolved_at: "2026-11-16T11:00:00.000Z" }), ...waiting],
    blocked: async () => [],
    onChange(listener) {
      changed = listener;
      return stopped;
    },
    after: () => () => {},
  });
  const told = vi.fn();
  const leave = store.subscribe(told);
  expect(store.read().state).toBe("loading");
  waiting = [record("a"), record("c")];
  for (let times = 0; times < 20; times++) changed();
  await vi.waitFor(() => expect(store.read().pending).toHaveLength(2));
  await vi.waitFor(() => expect(pending).toHaveBeenCalledTimes(2));
  expect(store.read().answered.map(({ approval_id }) => approval_id)).toEqual(["b"]);
  leave();
  expect(stopped).toHaveBeenCalledOnce();
});

test("what was read stays when the server cannot be reached, and it is read again when the server is back", async () => {
  let isUp = true;
  let waiting = [record("a")];
  let changed = () => {};
  let later = () => {};
  const store = createApprovalsStore({
    pending: async () => {
      if (!isUp) throw new Error("gone");
      return waiting;
    },
    recent: async () => [],
    blocked: async () => [],
    onChange: (listener) => {
      changed = listener;
      return () => {};
    },
    after(_, callback) {
      later = callback;
      return () => {};
    },
  });
  store.subscribe(() => {});
  await vi.waitFor(() => expect(store.read().state).toBe("ready"));
  isUp = false;
  changed();
  await new Promise((resolve) => setImmediate(resolve));
  expect(store.read()).toMatchObject({ state: "ready", pending: [{ approval_id: "a" }] });
  isUp = true;
  waiting = [];
  later();
  await vi.waitFor(() => expect(store.read()).toMatchObject({ state: "ready", pending: [] }));
});
