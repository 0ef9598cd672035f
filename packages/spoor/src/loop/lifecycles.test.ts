import { describe, expect, it } from "vitest";
import { loopRuntime, shortTypes } from "../../testing/loop/loop-runtime.ts";
import { scriptedModel } from "../../testing/loop/scripted-model.ts";
import { expectProjectionsRebuilt } from "../../testing/runtime/projections.ts";
import { untilStatus } from "../../testing/runtime/task-runtime.ts";
import { findingsOf } from "../../testing/runtime/temporary-log.ts";

const TIMEOUT = { timeout: 60_000 };

describe("a run of the loop", TIMEOUT, () => {
  it("answers in one turn", async () => {
    const model = scriptedModel([{ text: "Hello there." }]);
    const { log, start, startWorker, typesOf } = loopRuntime(model);
    startWorker();
    const { run_id } = await start("Say hello.");
    expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed", turns: 1 });
    expect(shortTypes(await typesOf(run_id))).toEqual([
      ...["run.created", "run.queued", "run.started", "user.message", "session.started"],
      ...["turn.started", "assistant.text_complete", "cost.tick", "assistant.final_answer", "turn.completed"],
      ...["run.checkpoint_saved", "session.ended", "run.finished", "task.updated"],
    ]);
    expect(await findingsOf(log, [run_id])).toEqual([]);
    await expectProjectionsRebuilt(log);
  });
});
