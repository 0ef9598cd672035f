import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Envelope } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { cutLog } from "../../testing/loop/cut-log.ts";
import { approvalsOf, loopRuntime } from "../../testing/loop/loop-runtime.ts";
import { type ScriptedTurn, scriptedModel } from "../../testing/loop/scripted-model.ts";
import { expectProjectionsRebuilt } from "../../testing/runtime/projections.ts";
import { envelopesOf, findingsOf } from "../../testing/runtime/temporary-log.ts";
import type { Log } from "../log/log.ts";
import { isOver } from "../log/records.ts";
import { resolveApproval } from "../runtime/approvals/resolve.ts";
import { openingOf } from "../runtime/queue/opening.ts";
import { recover } from "../runtime/recovery/recover.ts";
import type { TaskSpec } from "../runtime/specification/spec.ts";
import { specOf } from "../runtime/specification/spec-of.ts";

/** The golden runs: what the model does, and what the task allows. */
const golden: Readonly<Record<string, { script: readonly ScriptedTurn[]; spec?: Partial<TaskSpec> }>> = {
  "an answer": { script: [{ thinking: "Hm.", text: "Hello there." }] },
  "a command, a read and a failed call": {
    script: [
      {
        thinking: "Look first.",
        text: "I look.",
        calls: [
          { name: "read", input: { path: "a.txt" } },
          { name: "read", input: { path: "missing.txt" } },
          { name: "fly", input: {} },
        ],
      },
      { text: "Now I write.", calls: [{ name: "shell", input: { command: "echo 1 >> done.txt; echo hi" } }] },
      { text: "Done." },
    ],
    spec: { approve: "auto" },
  },
  "calls that a person allows": {
    script: [
      {
        thinking: "May I?",
        calls: [
          { name: "read", input: { path: "a.txt" } },
          { name: "shell", input: { command: "echo 1" } },
          { name: "shell", input: { command: "echo 2" } },
        ],
      },
      { text: "Done." },
    ],
  },
  "a call that a rule blocks": {
    script: [{ calls: [{ name: "shell", input: { command: "rm -rf x" } }] }, { text: "Then not." }],
    spec: { policy: ["block shell rm **"] },
  },
};

/** Starts a golden run in a place of its own, without a worker. */
async function place({ script, spec = {} }: { script: readonly ScriptedTurn[]; spec?: Partial<TaskSpec> }) {
  const cut = { idle: async (): Promise<void> => {} };
  const model = scriptedModel(script, {}, () => cut.idle());
  const runtime = loopRuntime(model);
  writeFileSync(path.join(runtime.workspace, "a.txt"), "A");
  const { run_id } = await runtime.start("Do it.", spec);
  /** The requests to the model, without the place of the workspace. */
  const requests = () => model.requests.map((request) => request.replaceAll(runtime.workspace, "/workspace"));
  /** Performs the run on this log, and answers what it asks, until it is over or its process is dead. */
  const live = async (log: Log, isDead = () => false): Promise<void> => {
    for (let run = await runtime.log.run(run_id); run && !isOver(run) && !isDead(); ) {
      for (const { approval_id, status } of await approvalsOf(runtime.log, run_id)) {
        if (status === "pending") await resolveApproval(runtime.log, { approval_id, decision: "approve", by: "ann" });
      }
      const claim = await runtime.log.queue.claim("worker", ["agent_loop"], 30_000, (each, lease) =>
        openingOf(each, lease, "worker", runtime.directory),
      );
      if (claim) {
        const { directory } = runtime;
        const task = (await specOf(runtime.log, claim.run)) as TaskSpec;
        const { signal } = new AbortController();
        const execution = { log, directory, claim, spec: task, signal, controls() {}, mayAct: () => true };
        await runtime.executor.execute(execution).catch((error: Error) => {
          if (!isDead()) throw error;
        });
      }
      run = await runtime.log.run(run_id);
    }
  };
  return { ...runtime, run_id, requests, live, cut };
}

/** What the model reads about calls of the last turn that had not ended when the process died. */
function interrupted(events: readonly Envelope[]): Map<string, string> {
  const results = new Map<string, string>();
  for (const { type, data } of events) {
    const id = String(data.tool_call_id);
    if (type === "assistant.tool_call_proposed") {
      results.set(id, "Interrupted before it began. Propose it again if it is still needed.");
    }
    if (type === "tool.started") results.set(id, "Interrupted; it may or may not have happened.");
    if (/^tool\.(completed|failed|cancelled|timed_out)$|^policy\.tool_blocked$/.test(type)) results.delete(id);
  }
  return results;
}

/** The request of the whole run, with the results that calls have after the cut. */
function expectedRequest(request: string, cut: ReadonlyMap<string, string>): string {
  const value = JSON.parse(request);
  for (const message of value.prompt) {
    if (message.role !== "tool") continue;
    for (const result of message.content) {
      const text = cut.get(result.toolCallId);
      if (text !== undefined) result.output = { type: "error-text", value: text };
    }
  }
  return JSON.stringify(value);
}

describe.each(Object.entries(golden))("a run with %s, cut after every commit", (_, scenario) => {
  it("asks the model the same after it was taken up again", { timeout: 300_000 }, async () => {
    const whole = await place(scenario);
    const counted = cutLog(whole.log, Number.POSITIVE_INFINITY);
    whole.cut.idle = counted.idle;
    await whole.live(counted.log);
    const reference = whole.requests();
    expect((await whole.log.run(whole.run_id))?.status).toBe("completed");
    for (let after = 0; after < counted.commits; after += 1) {
      const each = await place(scenario);
      const cut = cutLog(each.log, after);
      each.cut.idle = cut.idle;
      await each.live(cut.log, () => cut.isDead);
      const asked = each.requests().length;
      const run = await each.log.run(each.run_id);
      const lost = run?.parked ? new Map<string, string>() : interrupted(await envelopesOf(each.log, each.run_id));
      await recover(each.log, { isGone: () => true });
      each.cut.idle = async () => {};
      await each.live(each.log);
      const place_ = `cut after ${after} of ${counted.commits} commits`;
      expect({ place: place_, status: (await each.log.run(each.run_id))?.status }).toEqual({
        place: place_,
        status: "completed",
      });
      const [next] = each.requests().slice(asked);
      if (next !== undefined) {
        const answers = JSON.parse(next).prompt.filter(({ role }: { role: string }) => role === "assistant").length;
        expect({ place: place_, next }).toEqual({
          place: place_,
          next: expectedRequest(reference[answers] ?? "", lost),
        });
      }
      expect({ place: place_, findings: await findingsOf(each.log, [each.run_id]) }).toEqual({
        place: place_,
        findings: [],
      });
      await expectProjectionsRebuilt(each.log);
    }
  });
});
