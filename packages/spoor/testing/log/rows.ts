import { createUlidSource } from "@spoor/protocol/ids";
import type { Effect, NewRow } from "../../src/log/index.ts";

export const newApprovalId = createUlidSource({ prefix: "appr_" });
export const newCommandId = createUlidSource({ prefix: "cmd_" });

export const approval = (approval_id: string, run_id: string, changes: Partial<NewRow<"approvals">> = {}): Effect => ({
  do: "insert",
  table: "approvals",
  row: { approval_id, run_id, status: "pending", requested_at: 1, ...changes },
});

export const resolving = (approval_id: string, by: string): Effect => ({
  do: "update",
  table: "approvals",
  key: approval_id,
  when: { status: "pending" },
  set: { status: "approved", by },
});

export const command = (command_id: string, run_id: string, changes: Partial<NewRow<"commands">> = {}): Effect => ({
  do: "insert",
  table: "commands",
  row: { command_id, run_id, kind: "send", created_at: 1, ...changes },
});

export const queued = (run_id: string, changes: Partial<NewRow<"queue">> = {}): Effect => ({
  do: "insert",
  table: "queue",
  row: { run_id, kind: "shell", priority: 0, due_at: 0, enqueued_at: 0, ...changes },
});
