import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, vi } from "vitest";
import { orderProblem } from "../../../protocol/testing/lifecycles/order.ts";
import { Caretaker } from "../../src/runtime/caretaker.ts";
import { Worker } from "../../src/runtime/queue/worker.ts";
import { run as spoor } from "../cli/run.ts";
import { createPromptedLoop } from "../loop/prompted-loop.ts";
import { expectProjectionsRebuilt } from "../runtime/projections.ts";
import { type Answer, fakeAgent, serveTasks } from "../server/task-server.ts";

const loopWorker = fileURLToPath(new URL("../runtime/programs/loop-worker.ts", import.meta.url));
const workingAgent = fileURLToPath(new URL("../cli/programs/working-claude.mjs", import.meta.url));

/** A server with workers, what a person can ask it, and the tasks of the golden lifecycles. */
export async function openDoor(options: { workers?: number } = {}) {
  const served = await serveTasks({ ...options, canExecute: () => true });
  const { log, directory, workspace, post, get } = served;
  const place = { workspace: { path: workspace } };

  /** Creates and starts a task over HTTP. Returns its run. */
  async function start(spec: Record<string, unknown>): Promise<string> {
    const { status, body } = await post("/v1/tasks", { ...place, ...spec, start: true });
    expect([status, body.error]).toEqual([201, undefined]);
    return body.data.latest_run_id;
  }

  return {
    ...served,
    start,
    /** A task of the fake agent, which does what the prompt says. */
    agent: (prompt: string, spec: object = {}) =>
      start({ kind: "agent", agent: "claude", agent_command: fakeAgent, prompt, ...spec }),
    /** A task of the agent that plays steps and really changes files. */
    working: (steps: readonly object[], spec: object = {}) =>
      start({
        ...{ kind: "agent", agent: "claude", prompt: JSON.stringify(steps), approve: "yolo" },
        agent_command: [process.execPath, workingAgent],
        ...spec,
      }),
    /** A task of our loop, whose model plays the prompt. */
    loop: (prompt: string, spec: object = {}) =>
      start({ kind: "agent_loop", prompt, model: "scripted/scripted-1", ...spec }),
    /** Performs runs of our loop in this process. */
    startLoopWorker(): void {
      const inline = new Map([["agent_loop", createPromptedLoop()]]);
      const worker = new Worker({ log, directory, executors: { inline, launched: new Map() }, concurrency: 1 });
      onTestFinished(() => worker.close());
    },
    /** Performs runs of our loop in a process of its own. */
    async startLoopProcess() {
      // A group of its own: what it leaves behind must not look like a part of the tests, which are ended by group.
      const child = spawn(process.execPath, ["--conditions=spoor-source", loopWorker, directory], {
        detached: true,
        stdio: ["ignore", "pipe", "inherit"],
      });
      const exited = once(child, "exit");
      const kill = async (): Promise<void> => {
        if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid as number), "SIGKILL");
        await exited;
      };
      onTestFinished(kill);
      await once(child.stdout, "data");
      return { kill };
    },
    /** What the server does every half minute. The first round is that of a start. */
    async caretaker(now: () => number = Date.now) {
      const caretaker = new Caretaker(log, { now });
      onTestFinished(() => caretaker.close());
      await caretaker.round();
      return caretaker;
    },
    /** Waits for a pending approval of the run. */
    approvalOf: (run_id: string): Promise<Record<string, unknown>> =>
      vi.waitFor(
        async () => {
          const { body } = await get(`/v1/approvals?status=pending&run_id=${run_id}`);
          const [approval] = body.data as unknown as Record<string, unknown>[];
          if (!approval) throw new Error("Nothing is pending.");
          return approval;
        },
        { timeout: 60_000, interval: 20 },
      ),
    resolve: (approval_id: unknown, decision: "approve" | "reject"): Promise<Answer> =>
      post(`/v1/approvals/${approval_id}/resolve`, { decision }),
    /** Waits until the run has written an event of this type. */
    until: (run_id: string, type: string) =>
      vi.waitFor(async () => expect(await served.types(run_id)).toContain(type), { timeout: 60_000, interval: 20 }),
    /** Waits until the run is over and its task holds nothing any more. */
    async settled(run_id: string): Promise<string> {
      const { task_id } = await served.ended(run_id);
      await vi.waitFor(async () => expect((await log.rows.find("tasks", task_id))?.active_run_id ?? null).toBeNull(), {
        timeout: 60_000,
        interval: 20,
      });
      return run_id;
    },
  };
}

export type Door = Awaited<ReturnType<typeof openDoor>>;

/** Events that may come anywhere and say nothing about the life of a run. */
const leftOut = /^(turn\.step_|debug\.)/;

/** Expects that the run, as the server serves it, has this order, keeps the contract, and that its rows follow from its events. */
export async function expectLifecycle(
  { server, directory, log, get }: Door,
  run_id: string,
  { order, status, state }: { order: string; status: string; state: string },
): Promise<void> {
  const token = readFileSync(path.join(directory, "token"), "utf8").trim();
  const headers = { authorization: `Bearer ${token}`, accept: "application/x-ndjson" };
  const response = await fetch(`${server.url}/v1/runs/${run_id}/events`, { headers });
  const lines = await response.text();
  expect(response.status).toBe(200);
  const events = lines
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [JSON.parse(line)]))
    .filter(({ type }) => !leftOut.test(type));
  expect(orderProblem(events, order), events.map(({ type }) => type).join(" ")).toBeUndefined();
  const checked = await spoor(["check", "-", "--notes"], Readable.from([lines]));
  expect([checked.code, checked.code === 0 ? "" : checked.stdout]).toEqual([0, ""]);
  expect((await get(`/v1/runs/${run_id}`)).body.data).toMatchObject({ status, state });
  await expectProjectionsRebuilt(log);
}
