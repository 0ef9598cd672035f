import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { approvalsOf, loopRuntime, untilTypes } from "../../testing/loop/loop-runtime.ts";
import { scriptedModel } from "../../testing/loop/scripted-model.ts";
import { expectProjectionsRebuilt } from "../../testing/runtime/projections.ts";
import { untilStatus } from "../../testing/runtime/task-runtime.ts";
import { envelopesOf, findingsOf } from "../../testing/runtime/temporary-log.ts";
import { resolveApproval } from "../runtime/approvals/resolve.ts";
import { sendCommand } from "../runtime/commands/send.ts";

/** A runtime in which `names` collects the names of the models that the loop looks up. */
function runtime(rules: string) {
  const names: string[] = [];
  const find = async (name: string) => {
    names.push(name);
    return scriptedModel([{ calls: [{ name: "shell", input: { command: "echo hi" } }] }, { text: "Done." }], {
      name,
      id: name.slice(7),
    });
  };
  const made = loopRuntime(scriptedModel([]), { findModel: find });
  writeFileSync(path.join(made.directory, "policy.rules"), rules);
  return { ...made, names };
}

it("a rule replaces the model of the loop, which is told once, before the first turn", async () => {
  const { log, start, startWorker, names } = runtime("rewrite model gpt-5 to=gpt-5-mini agent=loop");
  startWorker();
  const { run_id } = await start("Do it.", { model: "openai/gpt-5" });
  await untilStatus(log, run_id, "awaiting_approval");
  const [approval] = await approvalsOf(log, run_id);
  await resolveApproval(log, { approval_id: approval?.approval_id ?? "", decision: "approve", by: "ann" });
  expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed", model: "gpt-5-mini" });
  expect(new Set(names)).toEqual(new Set(["openai/gpt-5-mini"]));
  const events = await envelopesOf(log, run_id);
  const types = events.map(({ type }) => type);
  expect(types.filter((type) => type === "policy.model_rewrote")).toHaveLength(1);
  expect(types.slice(0, types.indexOf("turn.started"))).toEqual([
    ...["run.created", "run.queued", "run.started", "user.message", "policy.model_rewrote", "session.started"],
  ]);
  expect(events[types.indexOf("policy.model_rewrote")]?.data).toMatchObject({
    ...{ from_model: "openai/gpt-5", to_model: "openai/gpt-5-mini", policy_id: "user:1" },
  });
  expect(await findingsOf(log, [run_id])).toEqual([]);
  await expectProjectionsRebuilt(log);
});

it("a run of the loop whose model a rule blocks is refused, also if the rule came later", async () => {
  const { log, directory, start, startWorker, names } = runtime("block model gpt-5*");
  await expect(start("Do it.", { model: "openai/gpt-5" })).rejects.toMatchObject({ code: "policy_blocked" });
  const { run_id } = await start("Do it.", { model: "openai/o1" });
  writeFileSync(path.join(directory, "policy.rules"), "block model o1");
  startWorker();
  expect(await untilStatus(log, run_id)).toMatchObject({ status: "failed" });
  const [failed] = (await envelopesOf(log, run_id)).filter(({ type }) => type === "run.failed");
  expect(failed?.data.error).toContain("A rule blocks the model openai/o1");
  expect(names).toEqual([]);
  expect(await findingsOf(log, [run_id])).toEqual([]);
});

it("a run of the loop whose model a rule asks about waits before it starts", async () => {
  const { log, start, startWorker } = runtime("ask model gpt-5 agent=loop");
  startWorker();
  const { run_id } = await start("Do it.", { model: "openai/gpt-5" });
  await untilStatus(log, run_id, "awaiting_approval");
  const [approval] = await approvalsOf(log, run_id);
  expect(approval).toMatchObject({ kind: "task", rule: "ask model gpt-5 agent=loop" });
  await resolveApproval(log, { approval_id: approval?.approval_id ?? "", decision: "approve", by: "ann" });
  await untilTypes(log, run_id, "tool.invoked");
  await untilStatus(log, run_id, "awaiting_approval");
  await sendCommand(log, { run_id, kind: "cancel", by: "ann" });
  expect(await findingsOf(log, [run_id])).toEqual([]);
});
