import { createUlidSource, prefixed } from "@spoor/protocol";
import { expect, it } from "vitest";
import { run as runCommand } from "../../../testing/cli/run.ts";
import { expectProjectionsRebuilt } from "../../../testing/runtime/projections.ts";
import { temporaryLog } from "../../../testing/runtime/temporary-log.ts";
import type { Log } from "../../log/log.ts";
import type { Table } from "../../log/tables.ts";
import { commitEvents } from "../../runtime/commit.ts";
import { rowsOf } from "../../runtime/repair/rebuild.ts";
import { RepairError, repair } from "../../runtime/repair/repair.ts";
import { ownWorkerId } from "../../runtime/worker.ts";
import { serve } from "../../server/serving/serve.ts";

const ulid = createUlidSource();
const at = Date.parse("2026-11-16T08:00:00Z");

/** A task with a run that is over and one that is queued, with an approval and two patches. */
async function logWithRows() {
  const { log, directory } = temporaryLog();
  const task_id = prefixed("task", ulid());
  await log.rows.write([{ do: "insert", table: "tasks", row: { task_id, created_at: at, kind: "shell", spec: "{}" } }]);
  const over = await addRun(log, task_id, [
    ["run.queued", {}],
    ["run.started", { worker_id: "w" }],
    [
      "approval.requested",
      { approval_id: prefixed("approval", ulid()), kind: "shell_command", action_hash: "abc", status: "pending" },
    ],
    ["artifact.created", artifact()],
    ["artifact.created", artifact()],
    ["run.finished", {}],
  ]);
  const queued = await addRun(log, task_id, [["run.queued", { priority: 3 }]]);
  return { log, directory, task_id, over, queued };
}

const artifact = () => ({
  ...{ artifact_id: prefixed("artifact", ulid()), kind: "patch", size_bytes: 3, path: "a.txt", status: "applied" },
  ...{ operation: "write", before_existed: true, sha256: "abc", additions: 1, deletions: 0, attribution: "call" },
});

async function addRun(log: Log, task_id: string, events: [string, Record<string, unknown>][]): Promise<string> {
  const run_id = prefixed("run", ulid());
  const isOver = events.some(([type]) => type === "run.finished");
  await commitEvents(log, {
    run: { run_id, task_id, kind: "shell" },
    create: { task_id, agent: "shell", kind: "shell" },
    ...{ at, epoch: 1, facts: { status: isOver ? "completed" : "queued", ...(isOver && { ended_at: at }) } },
    events: [["run.created", { kind: "shell", spec: {} }], ...events],
  });
  return run_id;
}

async function allRows(log: Log): Promise<unknown> {
  const rows: Record<string, unknown[]> = {};
  for (const table of ["tasks", "queue", "approvals", "artifacts", "workspaces"] as const satisfies Table[]) {
    rows[table] = [];
    for await (const row of rowsOf(log, table)) rows[table].push(row);
  }
  return rows;
}

/** Deletes, changes and adds rows behind the back of the events. */
async function damage(log: Log, task_id: string, queued: string): Promise<void> {
  const [approval] = (await log.rows.list("approvals")).rows;
  const [first, second] = (await log.rows.list("artifacts")).rows;
  await log.rows.write([
    { do: "delete", table: "approvals", key: approval?.approval_id ?? "" },
    { do: "delete", table: "artifacts", key: first?.artifact_id ?? "" },
    { do: "update", table: "artifacts", key: second?.artifact_id ?? "", when: {}, set: { status: "reverted" } },
    { do: "update", table: "queue", key: queued, when: {}, set: { priority: 0 } },
    {
      do: "insert",
      table: "queue",
      row: { run_id: "run_nobody", kind: "shell", priority: 0, due_at: 0, enqueued_at: 0 },
    },
    { do: "update", table: "tasks", key: task_id, when: {}, set: { active_run_id: null } },
  ]);
  await log.append([{ run_id: queued, drafts: [], facts: { status: "completed", turns: 9, state: "error" } }]);
}

it("rows that were deleted, changed or added are made again from events", async () => {
  const { log, directory, task_id, queued } = await logWithRows();
  await expectProjectionsRebuilt(log);
  const before = await allRows(log);
  await damage(log, task_id, queued);
  const checked = await repair(log, { directory, check: true });
  expect(checked.written).toBe(false);
  expect(checked.differences.map(({ table, problem }) => `${table} ${problem}`).sort()).toEqual([
    ...[
      "approvals missing",
      "artifacts changed",
      "artifacts missing",
      "queue changed",
      "queue extra",
      "runs changed",
      "tasks changed",
    ],
  ]);
  expect(await repair(log, { directory })).toMatchObject({ runs: 2, written: true, incomplete: 0 });
  expect(await allRows(log)).toEqual(before);
  expect(await log.run(queued)).toMatchObject({ status: "queued", state: "idle" });
  await expectProjectionsRebuilt(log);
});

it("rows of pruned events are not made again", async () => {
  const { log, directory, over } = await logWithRows();
  const end = (await log.run(over))?.last_sequence ?? 0;
  await log.upkeep.prune(over, end - 1, "operator");
  await expectProjectionsRebuilt(log);
  expect((await repair(log, { directory })).differences).toEqual([]);
  expect((await log.rows.list("artifacts")).rows).toEqual([]);
});

it("a log is not repaired while a process performs a run", async () => {
  const { log, directory, queued } = await logWithRows();
  await log.append([{ run_id: queued, drafts: [], facts: { status: "running", worker_id: ownWorkerId() } }]);
  await expect(repair(log, { directory })).rejects.toThrow(RepairError);
  await expect(repair(log, { directory })).rejects.toThrow(`The run ${queued} is being performed by ${ownWorkerId()}`);
});

it("a log is not repaired while a server works with it", async () => {
  const { log, directory } = await logWithRows();
  const server = await serve({ directory, log, port: 0 });
  const { code, stderr } = await runCommand(["repair", "--data", directory]);
  await server.close(0);
  expect([code, stderr]).toEqual([
    1,
    `A server at ${server.url} (process ${process.pid}) works with this log. Stop it, and repair the log then.\n`,
  ]);
});

it("spoor repair --check prints what differs and exits with 1; spoor repair mends it", async () => {
  const { log, directory, task_id, queued } = await logWithRows();
  expect(await runCommand(["repair", "--check", "--data", directory])).toMatchObject({
    ...{ code: 0, stdout: "Read 9 events of 2 runs: all rows are right.\n" },
  });
  await damage(log, task_id, queued);
  const checked = await runCommand(["repair", "--check", "--data", directory]);
  expect([checked.code, checked.stderr]).toEqual([1, ""]);
  expect(checked.stdout).toMatch(new RegExp(`queue +${queued} +priority is 0, not 3\\n`));
  expect(checked.stdout).toMatch(/Read 9 events of 2 runs: 7 rows differ\.\n$/);
  const mended = await runCommand(["repair", "--json", "--data", directory]);
  expect([mended.code, JSON.parse(mended.stdout)]).toMatchObject([0, { runs: 2, events: 9, written: true }]);
  expect((await runCommand(["repair", "--check", "--data", directory])).code).toBe(0);
});
