import { createUlidSource, prefixed } from "@spoor/protocol/ids";
import { expect, it } from "vitest";
import { toy } from "../../../testing/run/toy-adapter.ts";
import { envelopesOf, findingsOf, temporaryLog } from "../../../testing/runtime/temporary-log.ts";
import type { Log, LogDraft } from "../../log/log.ts";
import { createRunner } from "../../run/runner.ts";
import { storedLines } from "../recorder/stored-lines.ts";
import { Recording } from "../recording/recording.ts";
import { targetOf } from "../recording/target.ts";
import { executeAgentRun } from "./execute-agent-run.ts";

const newId = createUlidSource();
const runner = createRunner([toy], { configDir: "/no/configuration" });

const draft = (type: string, data: object): LogDraft => ({ type, timestamp: Date.now(), json: JSON.stringify(data) });

/** Creates and claims a run, as a queue does, and returns its options. */
async function claimedRun(log: Log, runId: string) {
  const run_id = prefixed("run", runId);
  const create = { agent: "toy", kind: "agent", task_id: prefixed("task", newId()) };
  const drafts = [draft("run.created", { kind: "agent", agent: "toy" }), draft("run.queued", {})];
  await log.append([{ run_id, create, drafts, facts: { status: "queued" } }]);
  const epoch = await log.claim(run_id);
  await log.append([
    { run_id, epoch, drafts: [draft("run.started", { worker_id: "w" })], facts: { status: "running" } },
  ]);
  const run = await log.run(run_id);
  if (!run) throw new Error("The run is missing.");
  return { run, epoch, readLines: storedLines(log) };
}

it("a run that was created and claimed before is executed as if it had been started here", async () => {
  const { log } = temporaryLog();
  const runId = newId();
  const taken_up = await claimedRun(log, runId);
  const recording = new Recording(targetOf(log), { taken_up });
  const handle = executeAgentRun(runner.prepare({ agent: "toy", prompt: "say hello", runId }), { recording });
  await handle;
  const { run_ids, failure } = await recording.end();
  expect({ run_ids, failure }).toEqual({ run_ids: [taken_up.run.run_id], failure: undefined });
  const types = (await envelopesOf(log, taken_up.run.run_id)).map(({ type }) => type);
  expect(types.slice(0, 5)).toEqual(["run.created", "run.queued", "run.started", "user.message", "session.started"]);
  expect(types.filter((type) => type === "run.finished")).toHaveLength(1);
  expect(await log.run(taken_up.run.run_id)).toMatchObject({ status: "completed", task_id: taken_up.run.task_id });
  expect(await findingsOf(log, run_ids)).toEqual([]);
});

it("a run that somebody else claimed meanwhile is not written to, and its agent does not start", async () => {
  const { log } = temporaryLog();
  const runId = newId();
  const taken_up = await claimedRun(log, runId);
  await log.claim(taken_up.run.run_id);
  const recording = new Recording(targetOf(log), { taken_up });
  const handle = executeAgentRun(runner.prepare({ agent: "toy", prompt: "say hello", runId }), { recording });
  const { error } = await handle;
  const { failure } = await recording.end();
  expect([failure?.cause, error?.message]).toMatchObject([{ code: "fenced" }, expect.stringContaining("recorded")]);
  expect((await envelopesOf(log, taken_up.run.run_id)).at(-1)?.type).toBe("run.started");
});
