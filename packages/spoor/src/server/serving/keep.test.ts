import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createUlidSource, prefixed } from "@spoor/protocol";
import { expect, it, onTestFinished, vi } from "vitest";
import { expectProjectionsRebuilt } from "../../../testing/runtime/projections.ts";
import type { Log } from "../../log/log.ts";
import { openLog } from "../../log/open.ts";
import { readBlob, storeBlob } from "../../runtime/artifacts/index.ts";
import { commitEvents, type RunEvent } from "../../runtime/commit.ts";
import { serve } from "./serve.ts";

const ulid = createUlidSource();
const HOUR = 3_600_000;

/** A run that ended so many hours ago, or that waits for an answer, with an approval and an artifact. */
async function addRun(log: Log, directory: string, hoursAgo: number, end: readonly RunEvent[]) {
  const run_id = prefixed("run", ulid());
  const task_id = prefixed("task", ulid());
  const at = Date.now() - hoursAgo * HOUR;
  const { sha256, size, effects } = await storeBlob(directory, Buffer.from(`the file of ${run_id}`));
  const artifact = { artifact_id: prefixed("artifact", ulid()), kind: "patch", path: "a", size_bytes: size, sha256 };
  const approval_id = prefixed("approval", ulid());
  await commitEvents(log, {
    run: { run_id, task_id, kind: "agent" },
    create: { task_id, agent: "claude", kind: "agent" },
    ...{ at, epoch: 1, effects },
    events: [
      ["run.created", { kind: "agent", agent: "claude" }],
      ["run.started", { worker_id: "w" }],
      ["approval.requested", { approval_id, kind: "shell_command", action_hash: "a", status: "pending" }],
      ["artifact.created", artifact],
      ...end,
    ],
  });
  return { run_id, sha256 };
}

it("a server removes runs beyond the limit with their approvals and artifacts, and keeps their rows", async () => {
  const directory = mkdtempSync(path.join(tmpdir(), "spoor-keep-"));
  const log = await openLog({ directory });
  onTestFinished(async () => {
    await log.close();
    rmSync(directory, { recursive: true });
  });
  const old = await addRun(log, directory, 48, [["run.finished", {}]]);
  const waiting = await addRun(log, directory, 48, []);
  const recent = await addRun(log, directory, 1, [["run.finished", {}]]);
  const server = await serve({
    directory,
    log,
    port: 0,
    keep: { max_age_ms: 24 * HOUR },
    onUpkeepFault: console.error,
  });
  await vi.waitUntil(async () => (await log.rows.find("blobs", old.sha256)) === undefined, { timeout: 30_000 });
  await server.close(0);
  const pruned = await log.run(old.run_id);
  expect(pruned).toMatchObject({ status: "completed", first_sequence: 3, last_sequence: 4 });
  const runsOf = async (table: "approvals" | "artifacts") =>
    (await log.rows.list(table)).rows.map(({ run_id }) => run_id).sort();
  const kept = [waiting.run_id, recent.run_id].sort();
  expect([await runsOf("approvals"), await runsOf("artifacts")]).toEqual([kept, kept]);
  await expect(readBlob(log, directory, recent.sha256)).resolves.toBeDefined();
  await expectProjectionsRebuilt(log);
});
