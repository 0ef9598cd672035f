import { once } from "node:events";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createPlace, fakeClaude, fakeCommand } from "../../../testing/cli/process.ts";
import { firstLine } from "../../../testing/process/first-line.ts";
import { allGone } from "../../../testing/process/pids.ts";
import { untilStatus } from "../../../testing/runtime/task-runtime.ts";
import { envelopesOf, findingsOf } from "../../../testing/runtime/temporary-log.ts";
import type { Log } from "../../log/log.ts";
import { openLog } from "../../log/open.ts";
import type { StoredRun } from "../../log/records.ts";
import { createAndStart, type TaskSpec } from "../../runtime/tasks/index.ts";

const TIMEOUT = { timeout: 60_000 };

/** A data directory with tasks, and `spoor work` as a process. */
async function openPlace() {
  const place = createPlace("work");
  onTestFinished(place.remove);
  const cwd = path.join(place.home, "project");
  mkdirSync(cwd);
  mkdirSync(place.data, { mode: 0o700 });
  const log = await openLog({ directory: place.data });
  onTestFinished(() => log.close());
  const tasks = { log, directory: place.data, by: "test" };
  // Not `spoor task new --start`, which performs the task itself if nobody else is there.
  const queue = (spec: object) =>
    createAndStart(tasks, { kind: "agent", workspace: { path: cwd, share: true }, ...spec } as TaskSpec);
  const work = async (...flags: string[]) => {
    const child = place.start(["work", "--json", ...flags]);
    onTestFinished(async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, "exit");
        child.kill("SIGKILL");
        await ended;
      }
    });
    expect(JSON.parse(await firstLine(child.stdout))).toMatchObject({ directory: place.data });
    return {
      stop: async (): Promise<number | null> => {
        const ended = once(child, "exit");
        child.kill("SIGTERM");
        return (await ended)[0];
      },
    };
  };
  return { ...place, log, cwd, queue, work };
}

const agent_command = [process.execPath, fakeClaude];
const positionsAfter = async (log: Log, { last_position }: StoredRun) => {
  const [piece] = (await log.readAll({ after: last_position })).pieces;
  return { run_id: piece?.run_id, first: piece?.positions.at(0)?.[0] };
};

it("spoor work performs what is queued, one run at a time, and ends at a signal", TIMEOUT, async () => {
  const { log, queue, work } = await openPlace();
  const shell = await queue({ kind: "shell", command: "echo shell" });
  const agent = await queue({ agent: "claude", prompt: "hello", agent_command });
  expect(await log.run(shell.run_id)).toMatchObject({ status: "queued" });
  const worker = await work("--workers", "1");
  expect(await untilStatus(log, shell.run_id)).toMatchObject({ status: "completed", executor: "worker" });
  expect(await untilStatus(log, agent.run_id)).toMatchObject({ status: "completed", executor: "process" });
  const [first, second] = [await envelopesOf(log, shell.run_id), await envelopesOf(log, agent.run_id)];
  const ended = first.find(({ type }) => type === "run.finished")?.occurred_at ?? "";
  const started = second.find(({ type }) => type === "run.started")?.occurred_at ?? "";
  expect(Date.parse(started)).toBeGreaterThanOrEqual(Date.parse(ended));
  // A task that is started meanwhile is seen at once.
  const later = await queue({ kind: "shell", command: "true" });
  expect(await untilStatus(log, later.run_id)).toMatchObject({ status: "completed" });
  expect(await worker.stop()).toBe(0);
  expect(await findingsOf(log, [shell.run_id, agent.run_id, later.run_id])).toEqual([]);
});

it("spoor work resumes a lost agent once if its task asks for that, in the commit that ends it", TIMEOUT, async () => {
  const { log, queue, spoor, work } = await openPlace();
  const spec = { agent: "claude", prompt: "hang", recover: "resume", agent_command };
  const { run_id, task_id } = await queue(spec);
  const first = await work();
  await untilEvent(log, run_id, "assistant.text_complete");
  const executor = Number((await log.run(run_id))?.worker_id?.split("/")[2]);
  // The agent outlives this worker, and the next one finds that it was killed.
  expect(await first.stop()).toBe(0);
  process.kill(executor, "SIGKILL");
  await allGone([executor]);
  // Other commands leave the run to a worker, which can resume it.
  expect((await spoor(["run", "claude", "hello", ...fakeCommand])).code).toBe(0);
  expect(await log.run(run_id)).toMatchObject({ status: "running" });
  const second = await work();
  const lost = await untilStatus(log, run_id);
  expect(lost).toMatchObject({ status: "failed", error_code: "process_gone" });
  const next = (await log.task(task_id))?.latest_run_id as string;
  expect(await positionsAfter(log, lost)).toEqual({ run_id: next, first: lost.last_position + 1 });
  const [, resumed] = await envelopesOf(log, next);
  const from = { from_run_id: run_id, from_sequence: lost.last_sequence, from_step_id: "turn-1" };
  expect(resumed).toMatchObject({ type: "run.resumed_from_event", data: from });
  expect(await untilStatus(log, next)).toMatchObject({ status: "completed", prior_run_id: run_id });
  expect(await second.stop()).toBe(0);
  expect(await findingsOf(log, [run_id, next])).toEqual([]);
  expect(await spoor(["repair", "--check"])).toMatchObject({ code: 0 });
});

async function untilEvent(log: Log, run_id: string, wanted: string): Promise<void> {
  while (!(await envelopesOf(log, run_id)).some(({ type }) => type === wanted))
    await new Promise((resolve) => setTimeout(resolve, 10));
}
