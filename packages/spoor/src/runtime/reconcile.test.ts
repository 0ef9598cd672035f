import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { newRunId, shortRun } from "../../testing/runtime/recorded-run.ts";
import { envelopesOf, findingsOf, temporaryLog } from "../../testing/runtime/temporary-log.ts";
import { LogError } from "../log/errors.ts";
import { reconcile } from "./reconcile.ts";
import { Recorder } from "./recorder/recorder.ts";
import { createWorkerCheck, ownWorkerId, workerIdOf } from "./worker.ts";

const program = fileURLToPath(new URL("../../testing/runtime/programs/record-and-wait.ts", import.meta.url));

/** Starts another process, which begins a run and continues to record it. */
async function recordElsewhere(directory: string) {
  const args = ["--conditions=spoor-source", "--disable-warning=ExperimentalWarning", program, directory];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [run_id] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { child, run_id };
}

describe("reconciling", () => {
  it("closes the run of a killed process once, and does not close it while the process lives", {
    timeout: 60_000,
  }, async () => {
    const { log, directory } = temporaryLog();
    const { child, run_id } = await recordElsewhere(directory);
    expect(await reconcile(log)).toEqual([]);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await reconcile(log)).toEqual([run_id]);
    expect(await reconcile(log)).toEqual([]);
    const envelopes = await envelopesOf(log, run_id);
    expect(envelopes.map(({ type }) => type).slice(-5)).toEqual([
      "gap.run_disconnected",
      "tool.cancelled",
      "turn.completed",
      "session.ended",
      "run.failed",
    ]);
    expect(envelopes.at(-1)?.data).toMatchObject({ code: "process_gone", retriable: true });
    expect(await findingsOf(log, [run_id])).toEqual([]);
    expect(await log.run(run_id)).toMatchObject({ status: "failed", error_code: "process_gone" });
  });

  it("closes a run of which only the newest events are left", async () => {
    const { log } = temporaryLog();
    const recorder = new Recorder({ log, worker_id: workerIdOf(process.pid, "another time") });
    const events = shortRun().slice(0, -2);
    for (const event of events) recorder.add(event);
    const run_id = `run_${events[0]?.runId}`;
    while (((await log.run(run_id))?.last_sequence ?? 0) <= events.length) await new Promise(setImmediate);
    await log.upkeep.prune(run_id, events.length - 2, "retention_count");
    expect(await reconcile(log)).toEqual([run_id]);
    const types = (await envelopesOf(log, run_id)).map(({ type }) => type);
    expect([types[0], types.at(-1)]).toEqual(["gap.events_pruned", "run.failed"]);
    expect(await findingsOf(log, [run_id])).toEqual([]);
  });

  it("does not close a run whose process starts during the check", { timeout: 60_000 }, async () => {
    const { log, directory } = temporaryLog();
    let began: Promise<unknown> | undefined;
    const { runs } = log;
    log.runs = async (query) => {
      began ??= recordElsewhere(directory);
      await began;
      return runs.call(log, query);
    };
    expect(await reconcile(log)).toEqual([]);
    expect((await log.runs()).runs).toMatchObject([{ status: "running" }]);
  });

  it("closes every kind of span that was open when the process died", async () => {
    const { log } = temporaryLog();
    const gone = workerIdOf(process.pid, "another time");
    const events = shortRun((script) =>
      script
        .thinking("hm")
        .step("tool_use")
        .tool({ id: "t", name: "Bash", kind: "shell", input: {}, pieces: ["{", "}"] })
        .emit("approval_request", {
          interactionId: `appr_${newRunId()}`,
          action: "a",
          detail: "b",
          riskLevel: "low",
          toolCallId: "t",
        }),
    );
    const ids: string[] = [];
    for (let length = 1; length < events.length - 2; length++) {
      const runId = newRunId();
      const recorder = new Recorder({ log, worker_id: gone, record_thinking: true, record_tool_input: true });
      for (const event of events.slice(0, length)) recorder.add({ ...event, runId });
      ids.push(`run_${runId}`);
      while (((await log.run(`run_${runId}`))?.last_sequence ?? 0) < length + 1) await new Promise(setImmediate);
    }
    expect(new Set(await reconcile(log))).toEqual(new Set(ids));
    expect(await findingsOf(log, ids)).toEqual([]);
  });

  it("fences a producer that is still alive", async () => {
    const { log } = temporaryLog();
    const recorder = new Recorder({ log });
    const [start, ...rest] = shortRun();
    if (!start) return;
    recorder.add(start);
    while (!(await log.run(`run_${start.runId}`))) await new Promise(setImmediate);
    expect(await reconcile(log, { isGone: () => true })).toEqual([`run_${start.runId}`]);
    for (const event of rest) recorder.add(event);
    const { failure } = await recorder.close();
    expect(failure).toMatchObject({ code: "fenced" });
    expect(failure?.cause).toBeInstanceOf(LogError);
    expect(await findingsOf(log, [`run_${start.runId}`])).toEqual([]);
  });
});

describe("a worker's id", () => {
  it("shows whether the worker is gone, when this process can know", () => {
    const isGone = createWorkerCheck();
    expect(isGone(ownWorkerId())).toBe(false);
    expect(isGone(workerIdOf(process.pid, "another time"))).toBe(true);
    expect(isGone(workerIdOf(2 ** 30, "never"))).toBe(true);
    expect(isGone(workerIdOf(2 ** 30, "never", "pid:[1]"))).toBeUndefined();
    const old = workerIdOf(2 ** 30, "never")
      .split("/")
      .slice(0, 4)
      .join("/");
    expect(isGone(old)).toBe(true);
    for (const foreign of ["elsewhere/boot/12/34", "worker-3", "", "%/%/%/%"]) expect(isGone(foreign)).toBeUndefined();
  });
});
