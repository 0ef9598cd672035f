import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { drafts, newRunId } from "../../../testing/log/drafts.ts";
import { shortRun } from "../../../testing/runtime/recorded-run.ts";
import { openLogSync } from "../../log/open.ts";
import { workerIdOf } from "../../runtime/worker.ts";
import { CommandRecording } from "./command-recording.ts";

it("closes a run whose process died, if no server runs", async () => {
  const { data, log } = newLog();
  const run_id = newRunId();
  const worker_id = workerIdOf(process.pid, "another time");
  const started = { type: "run.started", timestamp: 1, json: JSON.stringify({ worker_id }) };
  const create = { agent: "claude", kind: "agent" };
  await log.append([{ run_id, create, drafts: [started], facts: { status: "running" } }]);

  const recording = await CommandRecording.open({ data, tape: true });
  recording.started();
  const closed = { status: "failed", error_code: "process_gone" };
  await vi.waitFor(async () => expect(await log.run(run_id)).toMatchObject(closed), { timeout: 30_000 });
  await recording.end();
});

it("merges the small chunks of the previous run while the next one is running", async () => {
  const { data, log } = newLog();
  const run_id = newRunId();
  await log.append([{ run_id, create: { agent: "claude", kind: "agent" }, drafts: [] }]);
  for (let commit = 0; commit < 9; commit++) await log.append([{ run_id, drafts: drafts(1) }]);
  await log.append([{ run_id, drafts: drafts(1), facts: { ended_at: 1 } }]);
  // This log caches what it wrote, so another one reads the store.
  const other = openLogSync({ directory: data });
  onTestFinished(() => other.close());
  expect((await other.read(run_id)).pieces).toHaveLength(10);

  const recording = await CommandRecording.open({ data, tape: true });
  recording.started();
  await vi.waitFor(async () => expect((await other.read(run_id)).pieces).toHaveLength(1), { timeout: 30_000 });
  await recording.end();
});

it("names the runs it recorded and their number", async () => {
  const runs = Array.from({ length: 12 }, newRunId);
  const endOf = async (ids: readonly string[]) => {
    const recording = await CommandRecording.open({ data: newLog().data, tape: true });
    for (const id of ids) for (const event of shortRun(() => {}, { runId: id.slice(4) })) recording.recorder.add(event);
    return recording.end();
  };
  expect(await endOf(runs.slice(0, 1))).toBe(`Recorded as ${runs[0]}.`);
  expect(await endOf(runs.slice(0, 2))).toBe(`Recorded as ${runs[0]} and 1 further run: ${runs[1]}.`);
  expect(await endOf(runs)).toBe(
    `Recorded as ${runs[0]} and 11 further runs: ${runs.slice(1, 11).join(", ")} and more.`,
  );
});

function newLog() {
  const data = mkdtempSync(path.join(tmpdir(), "spoor-recording-"));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const log = openLogSync({ directory: data });
  onTestFinished(() => log.close());
  return { data, log };
}
