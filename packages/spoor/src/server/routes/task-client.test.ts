import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { NewTask } from "@spoor/protocol/api";
import { createSpoorClient } from "@spoor/protocol/client";
import { describe, expect, it } from "vitest";
import { allGone } from "../../../testing/process/pids.ts";
import { fakeAgent, serveTasks } from "../../../testing/server/task-server.ts";

const TIMEOUT = { timeout: 60_000 };
const asking = [
  process.execPath,
  fileURLToPath(new URL("../../../testing/cli/programs/commanded-claude.mjs", import.meta.url)),
];

async function openClient() {
  const served = await serveTasks();
  const token = readFileSync(path.join(served.directory, "token"), "utf8").trim();
  /** Waits until the run is over, and the process that performed it is gone. */
  const ended = async (run_id: string) => {
    const run = await served.ended(run_id);
    const pid = Number(run.worker_id?.split("/")[2]);
    if (run.executor === "process") await allGone([pid]);
    return run;
  };
  return { ...served, ended, client: createSpoorClient({ url: served.server.url, token }) };
}

describe("the typed client", TIMEOUT, () => {
  it("creates, starts and deletes tasks, and each key makes one thing", async () => {
    const { client, ended, workspace } = await openClient();
    const spec = { kind: "shell", command: "true", workspace: { path: workspace } } as const;
    const task = await client.tasks.create(spec, { idempotencyKey: "one" });
    expect(await client.tasks.create(spec, { idempotencyKey: "one" })).toEqual(task);
    expect(task).toMatchObject({ status: "not_started", run_count: 0 });
    const run = await client.tasks.start(task.task_id, { reason: "now" });
    expect(await ended(run.run_id)).toMatchObject({ status: "completed", task_id: task.task_id });
    await client.tasks.delete(task.task_id);
    await expect(client.tasks.get(task.task_id)).rejects.toMatchObject({ code: "task_not_found" });
    await expect(client.tasks.start(task.task_id)).rejects.toMatchObject({ name: "SpoorClientError" });
    expect(await client.runs.get(run.run_id)).toMatchObject({ status: "completed" });
  });

  it("retries, resumes, continues and forks runs", async () => {
    const { client, ended, workspace } = await openClient();
    const spec = { agent: "claude", prompt: "hello", agent_command: fakeAgent, workspace: { path: workspace } };
    const { latest_run_id: first = "", task_id } = await client.tasks.create({ ...spec, start: true });
    await ended(first);
    const over = async ({ run_id }: { run_id: string }) => (await ended(run_id)).run_id;
    const retried = await over(await client.runs.retry(first, { reason: "again" }));
    const resumed = await over(await client.runs.resume(retried));
    const continued = await over(await client.runs.continue(resumed, { prompt: "And then?" }));
    const again = await over(await client.runs.retryFromTurn(continued, { turn: 1 }));
    const forked = await client.runs.fork(again, { prompt: "Something else." });
    await over(forked);
    expect(forked.task_id).not.toBe(task_id);
    const runs = await Promise.all(
      [retried, resumed, continued, again, forked.run_id].map((id) => client.runs.get(id)),
    );
    expect(runs.map(({ prior_run_id, prior_step_id }) => [prior_run_id, prior_step_id])).toEqual([
      [first, undefined],
      [retried, "turn-1"],
      [resumed, "turn-1"],
      [continued, undefined],
      [again, "turn-1"],
    ]);
    await expect(client.runs.retryFromTurn(again, { turn: 9 })).rejects.toMatchObject({ code: "invalid" });
  });
});

describe("a task whose approvals have a deadline", TIMEOUT, () => {
  const asked = (workspace: string, more: Partial<NewTask> = {}): NewTask => ({
    ...{ agent: "claude", prompt: "ask", approve: "ask", agent_command: asking, workspace: { path: workspace } },
    ...{ approval_timeout_ms: 1, start: true, ...more },
  });

  it("goes on without the action if nobody answers", async () => {
    const { client, ended, events, workspace, findings } = await openClient();
    const { latest_run_id: run_id = "" } = await client.tasks.create(asked(workspace));
    expect(await ended(run_id)).toMatchObject({ status: "completed" });
    const told = (await events(run_id)).filter(({ type }) => type.startsWith("approval."));
    expect(told).toMatchObject([{ type: "approval.requested" }, { type: "approval.timed_out" }]);
    const said = (await events(run_id)).find(({ type }) => type === "assistant.text_complete");
    expect(said?.data.text).toContain("refused");
    expect(await findings(run_id)).toEqual([]);
  });

  it("is cancelled instead with on_approval_timeout: cancel_run", async () => {
    const { client, ended, events, workspace, findings } = await openClient();
    const task = asked(workspace, { on_approval_timeout: "cancel_run" });
    const { latest_run_id: run_id = "" } = await client.tasks.create(task);
    expect(await ended(run_id)).toMatchObject({ status: "cancelled" });
    const told = (await events(run_id)).filter(({ type }) => type.startsWith("approval."));
    expect(told).toMatchObject([{ data: { default_action: "cancel_run" } }, { type: "approval.timed_out" }]);
    expect(await findings(run_id)).toEqual([]);
  });
});
