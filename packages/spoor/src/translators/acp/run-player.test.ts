import type { RequestPermissionRequest, SessionNotification } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { newRunId, newTaskId } from "../../../testing/log/drafts.ts";
import { temporaryLog } from "../../../testing/runtime/temporary-log.ts";
import { commitEvents, type RunEvent } from "../../runtime/commit.ts";
import { createConversations } from "../conversation/conversations.ts";
import type { Editor } from "./editor.ts";
import { RunPlayer } from "./run-player.ts";

test("a subagent's calls are shown and its approvals asked in the session of its parent", {
  timeout: 20_000,
}, async () => {
  const { log, directory } = temporaryLog();
  const [parent, child] = [newRunId(), newRunId()];
  const task_id = newTaskId();
  const write = (run_id: string, events: readonly RunEvent[], isNew = false) =>
    commitEvents(log, {
      run: { run_id, task_id, kind: "agent_loop" },
      ...(isNew && { create: { task_id, agent: "loop", kind: "agent_loop" } }),
      ...(events.some(([type]) => type === "run.finished") && { facts: { status: "completed" } }),
      epoch: 1,
      at: Date.now(),
      events,
    });
  const approval_id = "appr_01K9ZC0000APPR0VA000000001";
  const call = { tool_call_id: "c1", tool_name: "shell", kind: "shell", turn_index: 1 };
  await write(child, [["run.created", { kind: "agent_loop", parent_run_id: parent }]], true);
  await write(child, [
    ["assistant.text_delta", { turn_index: 1, block_index: 0, delta: "Only its parent reads this." }],
    ["assistant.tool_call_proposed", { ...call, input: { command: "make" } }],
    ["approval.requested", { approval_id, kind: "shell_exec", tool_call_id: "c1", summary: "make" }],
  ]);
  await write(parent, [["run.created", { kind: "agent_loop" }]], true);
  const started = { subagent_id: "s1", agent_name: "helper", prompt: "Build it.", child_run_id: child };
  await write(parent, [["subagent.started", started]]);

  const notifications: SessionNotification[] = [];
  const permissions: RequestPermissionRequest[] = [];
  const gone = new AbortController();
  const client = {
    notify: async (_: string, params: SessionNotification) => void notifications.push(params),
    request: async (_: string, params: RequestPermissionRequest) => {
      permissions.push(params);
      return { outcome: { outcome: "selected", optionId: "approve" } };
    },
  } as unknown as Editor["client"];
  const editor: Editor = {
    ...{ client, canAsk: false, gone: gone.signal, log, directory, note: () => {} },
    conversations: {
      ...createConversations({ log, directory, by: "a test" }),
      // Nobody performs these runs.
      decide: async () => {
        await write(child, [
          ["approval.resolved", { approval_id, decision: "approved", by: "a test" }],
          ["run.finished", { final_status: "completed" }],
        ]);
        await write(parent, [["run.finished", { final_status: "completed" }]]);
      },
    },
  };
  const player = new RunPlayer(editor, {
    run_id: parent,
    isOwn: true,
    contextSizeOf: () => undefined,
    onCancelled: () => {},
  });
  await player.replay({ isShown: true });
  expect(permissions).toEqual([]);
  await expect(player.follow()).resolves.toEqual({ stopReason: "end_turn" });
  expect(permissions).toMatchObject([{ sessionId: task_id, toolCall: { title: "make", kind: "execute" } }]);
  await expect
    .poll(() => notifications.map(({ update }) => ("status" in update ? update.status : undefined)))
    .toContain("in_progress");
  const kinds = notifications.map(({ update }) => update.sessionUpdate);
  expect(new Set(kinds)).toEqual(new Set(["tool_call", "tool_call_update"]));
  expect(notifications.every(({ sessionId }) => sessionId === task_id)).toBe(true);
});
