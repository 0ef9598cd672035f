import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import type { LifecycleName } from "../../../protocol/testing/lifecycles/table.ts";
import { commandsOf } from "../loop/prompted-loop.ts";
import type { Door } from "./door.ts";

/** One way to make a run take a golden lifecycle, through HTTP. */
export interface Scenario {
  /** How many runs of the server are performed at the same time. Default: 4. */
  workers?: number;
  /** Returns the id of the run. */
  play(door: Door): Promise<string>;
}

/** A run of our loop that waits for an answer. */
async function parked(door: Door, spec: object = {}) {
  door.startLoopWorker();
  const run_id = await door.loop(commandsOf("touch made"), spec);
  const { approval_id } = await door.approvalOf(run_id);
  expect(await door.log.run(run_id)).toMatchObject({ status: "awaiting_approval", parked: true });
  return { run_id, approval_id };
}

/** A task that a rule gates. */
async function gated(door: Door) {
  const run_id = await door.agent("costs 0.5", { policy: ["ask task agent"] });
  const { approval_id, kind } = await door.approvalOf(run_id);
  expect(kind).toBe("task");
  return { run_id, approval_id };
}

/** A run that makes another follow it, and the one that follows. */
async function followed(door: Door, verb: string, body: object): Promise<string> {
  const first = await door.settled(await door.agent("costs 0.5"));
  const answer = await door.post(`/v1/runs/${first}/${verb}`, body);
  expect(answer).toMatchObject({ status: 201, body: { data: { prior_cost_micros_usd: 500_000 } } });
  return door.settled(answer.body.data.run_id);
}

/** The same with our loop. */
async function followedLoop(door: Door, verb: string, body: object): Promise<string> {
  door.startLoopWorker();
  const first = await door.settled(await door.loop(commandsOf("true"), { approve: "auto" }));
  const answer = await door.post(`/v1/runs/${first}/${verb}`, body);
  expect(answer).toMatchObject({ status: 201, body: { data: { prior_run_id: first } } });
  return door.settled(answer.body.data.run_id);
}

const cancel = async (door: Door, run_id: string): Promise<string> => {
  const answer = await door.post(`/v1/runs/${run_id}/cancel?wait=20`, { reason: "No longer needed." });
  expect(answer).toMatchObject({ status: 200 });
  return door.settled(run_id);
};

/** At least one way for each golden lifecycle. */
export const scenarios: Readonly<Record<LifecycleName, Readonly<Record<string, Scenario>>>> = {
  fresh: {
    "an agent": { play: async (door) => door.settled(await door.agent("costs 0.5")) },
    "our loop": {
      async play(door) {
        door.startLoopWorker();
        return door.settled(await door.loop("Hello."));
      },
    },
  },
  approved: {
    "our loop": {
      async play(door) {
        const { run_id, approval_id } = await parked(door);
        expect(await door.resolve(approval_id, "approve")).toMatchObject({ status: 200 });
        expect(await door.resolve(approval_id, "reject")).toMatchObject({ status: 409 });
        return door.settled(run_id);
      },
    },
  },
  "rejected-ours": {
    "our loop": {
      async play(door) {
        const { run_id, approval_id } = await parked(door);
        expect(await door.resolve(approval_id, "reject")).toMatchObject({ status: 200 });
        return door.settled(run_id);
      },
    },
  },
  "rejected-external": {
    "an agent": {
      async play(door) {
        const run_id = await door.agent("run it", { approve: "ask" });
        const { approval_id } = await door.approvalOf(run_id);
        expect(await door.resolve(approval_id, "reject")).toMatchObject({ status: 200 });
        return door.settled(run_id);
      },
    },
  },
  "timed-out": {
    "our loop": {
      async play(door) {
        const { run_id } = await parked(door, { approval_timeout_ms: 1_000 });
        await door.caretaker(() => Date.now() + 2_000);
        return door.settled(run_id);
      },
    },
  },
  "gate-approved": {
    "an agent": {
      async play(door) {
        const { run_id, approval_id } = await gated(door);
        expect(await door.resolve(approval_id, "approve")).toMatchObject({ status: 200 });
        return door.settled(run_id);
      },
    },
  },
  "gate-rejected": {
    "an agent": {
      async play(door) {
        const { run_id, approval_id } = await gated(door);
        expect(await door.resolve(approval_id, "reject")).toMatchObject({ status: 200 });
        return door.settled(run_id);
      },
    },
  },
  "gate-cancelled": {
    "an agent": {
      async play(door) {
        const { run_id, approval_id } = await gated(door);
        await cancel(door, run_id);
        expect(await door.resolve(approval_id, "approve")).toMatchObject({ status: 410 });
        return run_id;
      },
    },
  },
  blocked: {
    "our loop": {
      async play(door) {
        door.startLoopWorker();
        return door.settled(await door.loop(commandsOf("make"), { policy: ["block shell make **"] }));
      },
    },
    "an agent": {
      play: async (door) => door.settled(await door.agent("run it", { approve: "ask", policy: ["block shell rm **"] })),
    },
  },
  "shell-task": {
    "a command": { play: async (door) => door.settled(await door.start({ kind: "shell", command: "echo ok" })) },
  },
  "cancel-queued": {
    "a command": {
      workers: 0,
      play: async (door) => cancel(door, await door.start({ kind: "shell", command: "true" })),
    },
    "an agent": { workers: 0, play: async (door) => cancel(door, await door.agent("hello")) },
  },
  "cancel-running": {
    "an agent": {
      async play(door) {
        const steps = [{ begin: "t1", tool: "Bash", input: { command: "sleep 100" } }, { hang: true }];
        const run_id = await door.working(steps);
        await door.until(run_id, "tool.shell.command");
        return cancel(door, run_id);
      },
    },
    "our loop": {
      async play(door) {
        door.startLoopWorker();
        const run_id = await door.loop(commandsOf("exec sleep 100"), { approve: "auto" });
        await door.until(run_id, "tool.shell.command");
        return cancel(door, run_id);
      },
    },
  },
  "cancel-waiting": {
    "our loop": { play: async (door) => cancel(door, (await parked(door)).run_id) },
    "an agent": {
      async play(door) {
        const run_id = await door.agent("run it", { approve: "ask" });
        await door.approvalOf(run_id);
        return cancel(door, run_id);
      },
    },
  },
  resumed: {
    "an agent that continues": { play: (door) => followed(door, "continue", { prompt: "costs 0.25" }) },
    "an agent that resumes": { play: (door) => followed(door, "resume", {}) },
    "our loop": { play: (door) => followedLoop(door, "continue", { prompt: "And now?" }) },
  },
  forked: {
    "an agent": { play: (door) => followed(door, "fork", { prompt: "costs 0.25" }) },
    "our loop": { play: (door) => followedLoop(door, "fork", { prompt: "Another way?" }) },
  },
  "retry-from-turn": {
    "our loop": {
      play: (door) => followedLoop(door, "retry-from-turn", { turn: 2 }),
    },
  },
  "crash-requeued": {
    "our loop": {
      async play(door) {
        const caretaker = await door.caretaker();
        const lost = await door.startLoopProcess();
        const run_id = await door.loop(commandsOf("exec sleep 100"), { approve: "auto" });
        await door.until(run_id, "tool.shell.command");
        await lost.kill();
        await caretaker.round();
        expect(await door.log.run(run_id)).toMatchObject({ status: "queued", attempt: 2 });
        await door.startLoopProcess();
        return door.settled(run_id);
      },
    },
  },
  "budget-stop": {
    "our loop": {
      async play(door) {
        door.startLoopWorker();
        // The estimate before the call is lower than what it costs.
        const script = [{ text: "Hello.", usage: { input: 4_000, output: 0 } }];
        return door.settled(await door.loop(JSON.stringify(script), { budget_micros_usd: 4_000 }));
      },
    },
    "an agent": {
      play: async (door) => door.settled(await door.agent("costs 5", { budget_micros_usd: 1_000_000 })),
    },
  },
  "reverted-after-end": {
    "an agent": {
      async play(door) {
        writeFileSync(path.join(door.workspace, "a.txt"), "one\n");
        const input = { command: "echo two >> a.txt" };
        const run_id = await door.settled(
          await door.working([
            { until: path.join(door.directory, "workspaces") },
            { begin: "t1", tool: "Bash", input },
            { do: input.command },
            { end: "t1" },
          ]),
        );
        const { body } = await door.get(`/v1/runs/${run_id}/artifacts?kind=patch`);
        const [patch] = body.data as unknown as { id: string }[];
        expect(await door.post(`/v1/artifacts/${patch?.id}/revert`)).toMatchObject({ status: 200 });
        return run_id;
      },
    },
    "a command": {
      async play(door) {
        writeFileSync(path.join(door.workspace, "a.txt"), "one\n");
        const run_id = await door.settled(await door.start({ kind: "shell", command: "echo two >> a.txt" }));
        const { body } = await door.get(`/v1/runs/${run_id}/artifacts?kind=patch`);
        const [patch] = body.data as unknown as { id: string }[];
        expect(await door.post(`/v1/artifacts/${patch?.id}/revert`)).toMatchObject({ status: 200 });
        return run_id;
      },
    },
  },
};
