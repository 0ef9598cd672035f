import { symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { loopRuntime, shortTypes, untilTypes } from "../../testing/loop/loop-runtime.ts";
import { type ScriptedTurn, scriptedModel } from "../../testing/loop/scripted-model.ts";
import { expectProjectionsRebuilt } from "../../testing/runtime/projections.ts";
import { temporaryFolder, untilStatus } from "../../testing/runtime/task-runtime.ts";
import { envelopesOf, findingsOf } from "../../testing/runtime/temporary-log.ts";
import { sendCommand } from "../runtime/commands/send.ts";
import type { TaskSpec } from "../runtime/specification/spec.ts";
import { followUp } from "../runtime/tasks/start.ts";
import { modelFailureOf } from "./providers/index.ts";

const done: ScriptedTurn = { text: "Done." };
const read = { name: "read", input: { path: "a.txt" } };

/** Starts a run with a worker in a folder with the file `a.txt`. */
async function play(
  model: ReturnType<typeof scriptedModel>,
  {
    spec = {},
    options = {},
    prepare,
  }: { spec?: Partial<TaskSpec>; options?: object; prepare?(root: string): void } = {},
) {
  const runtime = loopRuntime(model, options);
  const { log, workspace } = runtime;
  writeFileSync(path.join(workspace, "a.txt"), "A");
  prepare?.(workspace);
  runtime.startWorker();
  const { run_id } = await runtime.start("Do it.", spec);
  const dataOf = async (type: string, id = run_id) =>
    (await envelopesOf(log, id)).filter((each) => each.type === type).map(({ data }) => data);
  const check = async (...more: string[]) => {
    expect(await findingsOf(log, [run_id, ...more])).toEqual([]);
    await expectProjectionsRebuilt(log);
  };
  const promptOf = (request: number) => JSON.parse(model.requests[request] ?? "{}").prompt.slice(1);
  return { ...runtime, run_id, dataOf, check, promptOf, over: (id = run_id) => untilStatus(log, id) };
}

describe("a run of the loop", { timeout: 60_000 }, () => {
  it("says that its model cannot call tools, and works without them", async () => {
    const model = scriptedModel([done], { canUseTools: false });
    const { over, dataOf, check } = await play(model);
    expect(await over()).toMatchObject({ status: "completed" });
    expect(await dataOf("error.model_capability_missing")).toEqual([
      {
        ...{ model: "scripted/scripted-1", missing_capability: "tools" },
        fallback_strategy: "The model works without tools.",
      },
    ]);
    expect(JSON.parse(model.requests[0] ?? "")).not.toHaveProperty("tools.0");
    await check();
  });

  it("waits as long as the provider says before it asks again", async () => {
    let failures = 1;
    const busy = Object.assign(new Error("Too many requests"), {
      ...{ statusCode: 429, responseHeaders: { "retry-after-ms": "37" } },
    });
    const model = scriptedModel(() => (failures-- > 0 ? { error: busy } : done));
    const options = { failureOf: modelFailureOf, backoffMs: () => 60_000 };
    const { over, dataOf, check } = await play(model, { options });
    expect(await over()).toMatchObject({ status: "completed", turns: 2 });
    expect(await dataOf("limit.retry_scheduled")).toMatchObject([{ attempt: 1, delay_ms: 37 }]);
    expect(await dataOf("error.upstream")).toMatchObject([{ status: 429, retriable: true, attempt: 1 }]);
    expect(await dataOf("turn.failed")).toMatchObject([{ code: "rate_limited", will_retry: true }]);
    await check();
  });

  it("runs sixteen calls of a turn, and tells the model to propose the others again", async () => {
    const model = scriptedModel([{ calls: Array.from({ length: 18 }, () => read) }, done]);
    const { over, dataOf, check, promptOf } = await play(model);
    expect(await over()).toMatchObject({ status: "completed" });
    expect(await dataOf("tool.completed")).toHaveLength(16);
    const results = promptOf(1)
      .at(-1)
      .content.map(({ output }: { output: object }) => output);
    expect(results).toHaveLength(18);
    expect(results[15]).toEqual({ type: "text", value: "A" });
    for (const refused of results.slice(16))
      expect(refused).toEqual({
        ...{ type: "error-text", value: "At most 16 calls can be made at once. Propose this one again." },
      });
    await check();
  });

  it("keeps calls apart whose ids a provider uses again, in the next turn and in the same one", async () => {
    const twice = {
      calls: [
        { id: "x", ...read },
        { id: "x", name: "read", input: { path: "b.txt" } },
      ],
    };
    const model = scriptedModel([{ calls: [{ id: "x", ...read }] }, twice, done]);
    const { over, dataOf, check, promptOf } = await play(model);
    expect(await over()).toMatchObject({ status: "completed", turns: 3 });
    const ended = [...(await dataOf("tool.completed")), ...(await dataOf("tool.failed"))];
    expect(ended.map(({ tool_call_id }) => tool_call_id)).toEqual(["x", "x-2", "x-3"]);
    const [calls, results] = promptOf(2).slice(-2);
    expect(calls.content).toMatchObject([
      { toolCallId: "x-2", input: { path: "a.txt" } },
      { toolCallId: "x-3", input: { path: "b.txt" } },
    ]);
    expect(results.content).toMatchObject([
      { toolCallId: "x-2", output: { type: "text", value: "A" } },
      { toolCallId: "x-3", output: { type: "error-text", value: "There is no file b.txt." } },
    ]);
    await check();
  });

  it("reads instructions through a link inside the workspace, and none that a link brings in from outside", async () => {
    const outside = path.join(temporaryFolder(), "secret");
    writeFileSync(outside, "The secret of the user.");
    const model = scriptedModel([done]);
    const { over, check } = await play(model, {
      prepare(root) {
        symlinkSync(outside, path.join(root, "AGENTS.md"));
        writeFileSync(path.join(root, "rules.md"), "Use tabs.");
        symlinkSync("rules.md", path.join(root, "CLAUDE.md"));
      },
    });
    expect(await over()).toMatchObject({ status: "completed" });
    expect(model.requests[0]).not.toContain("The secret of the user.");
    expect(model.requests[0]).toContain("Use tabs.");
    await check();
  });

  it("resumes another run as it stopped, with its conversation", async () => {
    const slow = { calls: [{ name: "shell", input: { command: "echo x >> done.txt; exec sleep 100" } }] };
    const model = scriptedModel([{ thinking: "Hm.", ...slow }, done]);
    const { log, context, run_id, over, dataOf, check, promptOf, typesOf } = await play(model, {
      spec: { approve: "auto" },
    });
    await untilTypes(log, run_id, "tool.shell.command");
    await sendCommand(log, { run_id, kind: "cancel", by: "ann" });
    expect(await over()).toMatchObject({ status: "cancelled" });
    const next = await followUp(context, "resume", run_id);
    expect(await over(next.run_id)).toMatchObject({ status: "completed", turns: 1, session_id: next.session_id });
    expect(shortTypes(await typesOf(next.run_id)).slice(0, 7)).toEqual([
      ...["run.created", "run.resumed_from_event", "run.queued", "run.started", "user.message", "session.started"],
      "session.resumed",
    ]);
    const [asked] = await dataOf("user.message", next.run_id);
    expect(asked).toMatchObject({ via: "prompt", text: "Continue with the task where you stopped." });
    expect(promptOf(1)).toMatchObject([
      { role: "user", content: [{ text: "Do it." }] },
      { role: "assistant", content: [{ type: "reasoning", text: "Hm." }, { type: "tool-call" }] },
      { role: "tool", content: [{ output: { type: "error-text", value: "The run was stopped." } }] },
      { role: "user", content: [{ text: asked?.text }] },
    ]);
    await check(next.run_id);
  });
});
