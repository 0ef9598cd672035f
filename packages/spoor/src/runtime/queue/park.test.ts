import { expect, it } from "vitest";
import { conversationOf } from "../../../testing/runtime/loop-executor.ts";
import { taskRuntime, untilStatus } from "../../../testing/runtime/task-runtime.ts";
import { envelopesOf, findingsOf } from "../../../testing/runtime/temporary-log.ts";
import { sendCommand } from "../commands/send.ts";
import { createRedactor } from "../redaction/index.ts";
import { createAndStart } from "../tasks/start.ts";
import type { Executor } from "./executor.ts";
import { endOfRun, openOwnRun } from "./own-run.ts";
import { pauseRun } from "./park.ts";

/** Pauses its run after the start of the session, and ends it when it is performed again. */
const pausing: Executor = {
  name: "worker",
  async execute(execution) {
    const { stored, write, draftsOf } = await conversationOf(execution);
    if (!stored.some(({ type }) => type === "run.paused")) {
      await write({ type: "session_start", sessionId: "loop-session", resumed: false });
      return pauseRun(openOwnRun(execution, createRedactor()));
    }
    const closing = draftsOf({ type: "session_end", sessionId: "loop-session", turnCount: 0 });
    const events = closing.map(({ type, json }) => [type, JSON.parse(json)] as const);
    await openOwnRun(execution, createRedactor()).end(events, endOfRun("completed"));
  },
};

it("a paused run of ours holds no worker, and is queued and performed again when it is unpaused", async () => {
  const { log, context, workspace, startWorker } = taskRuntime(new Map([["agent_loop", pausing]]));
  startWorker();
  const spec = { kind: "agent_loop" as const, prompt: "Go.", model: "demo", workspace: { path: workspace } };
  const { run_id } = await createAndStart(context, spec);
  while (!(await log.run(run_id))?.paused) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await log.run(run_id)).toMatchObject({ status: "queued", paused: true });
  expect(await log.rows.find("queue", run_id)).toBeUndefined();
  await sendCommand(log, { run_id, kind: "unpause", body: {}, by: "a test" });
  expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed" });
  const types = (await envelopesOf(log, run_id)).map(({ type }) => type);
  const from = types.indexOf("run.paused");
  expect(types.slice(from, from + 4)).toEqual(["run.paused", "run.queued", "run.started", "run.unpaused"]);
  expect(await findingsOf(log, [run_id])).toEqual([]);
});
