import { expect, it } from "vitest";
import { loopRuntime, untilTypes } from "../../testing/loop/loop-runtime.ts";
import { type ScriptedTurn, scriptedModel } from "../../testing/loop/scripted-model.ts";
import { untilStatus } from "../../testing/runtime/task-runtime.ts";
import { envelopesOf, findingsOf } from "../../testing/runtime/temporary-log.ts";
import { sendCommand } from "../runtime/commands/send.ts";

const LONG = "x ".repeat(4_000);
const busy = { kind: "rate_limit", code: "RATE_LIMITED", message: "Busy.", status: 429, retriable: true } as const;

/** Starts a run whose conversation is too long after its first turn. `summary` is what the model does when it shall sum up. */
async function playLong(summary: (request: number) => ScriptedTurn) {
  let asked = 0;
  const model = scriptedModel(
    ({ prompt }) => {
      const last = JSON.stringify(prompt.at(-1));
      if (last.includes("Sum up this conversation")) return summary(asked++);
      const answers = prompt.filter(({ role }) => role === "assistant").length;
      if (last.includes("What happened so far") || answers === 2) return { text: "Done." };
      return { text: LONG, calls: [{ name: "read", input: { path: "a.txt" } }] };
    },
    { contextTokens: 2_500 },
  );
  const runtime = loopRuntime(model, { failureOf: () => busy });
  runtime.startWorker();
  const { run_id } = await runtime.start("Read it.");
  const summaries = async () =>
    (await envelopesOf(runtime.log, run_id)).filter(({ type }) => type === "limit.context_compacted");
  return { ...runtime, model, run_id, summaries };
}

it("keeps the conversation while the model cannot sum it up because of a rate limit, and shortens it later", async () => {
  const { log, run_id, summaries, model } = await playLong((request) =>
    request === 0 ? { error: new Error("busy") } : { text: "A long text was read." },
  );
  expect(await untilStatus(log, run_id)).toMatchObject({ status: "completed", turns: 3 });
  expect((await summaries()).map(({ data }) => String(data.summary))).toEqual([
    expect.stringContaining("A long text was read."),
  ]);
  const second = JSON.parse(model.requests[2] ?? "").prompt as { role: string }[];
  expect(second.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);
  expect(await findingsOf(log, [run_id])).toEqual([]);
});

it("leaves the conversation as it is if the run is stopped while the model sums it up", async () => {
  const { log, run_id, summaries, model } = await playLong(() => ({ text: "A long", hangs: true }));
  await untilTypes(log, run_id, "turn.completed");
  await expect.poll(() => model.requests.length).toBe(2);
  await sendCommand(log, { run_id, kind: "cancel", by: "ann" });
  expect(await untilStatus(log, run_id)).toMatchObject({ status: "cancelled", turns: 1 });
  expect(await summaries()).toEqual([]);
  expect(await findingsOf(log, [run_id])).toEqual([]);
});
