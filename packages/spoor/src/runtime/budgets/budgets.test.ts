import { describe, expect, it } from "vitest";
import { toy, toyWithCosts, toyWithTokens } from "../../../testing/run/toy-adapter.ts";
import { expectProjectionsRebuilt } from "../../../testing/runtime/projections.ts";
import { envelopesOf, findingsOf, temporaryLog } from "../../../testing/runtime/temporary-log.ts";
import { createClient } from "../../client.ts";
import type { Log } from "../../log/log.ts";
import type { RunOptions } from "../../options/run-options.gen.ts";
import { renormalize } from "../renormalize.ts";
import { taskCost } from "./task-cost.ts";

const MODEL = "claude-sonnet-4-5";

async function record(log: Log, options: Partial<RunOptions>, { adapter = toyWithCosts, task_id = "" } = {}) {
  const client = createClient({
    ...{ adapters: [adapter], configDir: "/no/configuration" },
    record: { to: log, ...(task_id && { task_id }) },
  });
  const run = client.run({ agent: "toy", prompt: "", ...options });
  const result = await run;
  const stored = await log.run(run.recordId);
  if (!stored) throw new Error("The run is not in the log.");
  const envelopes = await envelopesOf(log, run.recordId);
  const of = (type: string) => envelopes.filter((envelope) => envelope.type === type).map(({ data }) => data);
  return { result, run: stored, of, types: envelopes.map(({ type }) => type) };
}

describe("a run with a budget", () => {
  it("stops at the cost that spends the budget, and fails with the code of the budget", async () => {
    const { log } = temporaryLog();
    const { result, run, of, types } = await record(log, { prompt: "spends 0.6 2 waits", budget: 1 });
    expect(result).toMatchObject({ exitReason: "failed", error: { code: "BUDGET_EXCEEDED" } });
    expect(result.error?.message).toBe("The budget of $1.00 is spent: the task has cost $1.20.");
    expect(run).toMatchObject({ status: "failed", error_code: "budget_exceeded", cost_micros_usd: 1_200_000 });
    const last = types.slice(types.indexOf("cost.budget_exceeded") - 1);
    expect(last.filter((type) => !/^(turn\.step|assistant|debug)/.test(type))).toEqual([
      ...["cost.tick", "cost.budget_exceeded", "turn.completed", "error.reported", "session.ended", "run.failed"],
      ...types.filter((type) => type === "task.updated"),
    ]);
    expect(of("cost.budget_exceeded")).toEqual([
      {
        cumulative_cost_micros_usd: 1_200_000,
        task_cumulative_cost_micros_usd: 1_200_000,
        task_budget_micros_usd: 1_000_000,
        action: "halted",
      },
    ]);
    expect(of("error.reported")).toMatchObject([{ code: "BUDGET_EXCEEDED", recoverable: false }]);
    expect(types).not.toContain("run.cancelled");
    expect(types).not.toContain("run.aborted");
    expect(await findingsOf(log, [run.run_id])).toEqual([]);
    await expectProjectionsRebuilt(log);
  });

  it("ends an agent that does not stop when it is asked to", async () => {
    const { log } = temporaryLog();
    const { result, run } = await record(log, { prompt: "stubborn 0.7", budget: 1, gracePeriodMs: 50 });
    expect(result.error?.code).toBe("BUDGET_EXCEEDED");
    expect(run.error_code).toBe("budget_exceeded");
    expect(await findingsOf(log, [run.run_id])).toEqual([]);
  });

  it("warns once at 50, 80 and 95 percent, and tells the rest of the budget with every cost", async () => {
    const { log } = temporaryLog();
    const { run, of } = await record(log, { prompt: "spends 0.1 9", budget: 0.92 });
    expect(run.status).toBe("completed");
    expect(of("cost.budget_warning")).toMatchObject([
      { threshold_pct: 50, cumulative_cost_micros_usd: 500_000, task_budget_micros_usd: 920_000 },
      { threshold_pct: 80, cumulative_cost_micros_usd: 800_000 },
      { threshold_pct: 95, cumulative_cost_micros_usd: 900_000 },
    ]);
    expect(of("cost.tick").at(-1)).toMatchObject({
      task_cumulative_cost_micros_usd: 900_000,
      task_budget_micros_usd: 920_000,
      task_budget_remaining_micros_usd: 20_000,
    });
  });

  it("counts every run of the task once", async () => {
    const { log } = temporaryLog();
    const task_id = "task_01K9ZC0000SP00R00000000000";
    await record(log, { prompt: "spends 0.3 2" }, { task_id });
    const { run, of } = await record(log, { prompt: "spends 0.3 2 waits", budget: 1 }, { task_id });
    expect(run).toMatchObject({ error_code: "budget_exceeded", cost_micros_usd: 600_000 });
    expect(of("cost.budget_exceeded")).toMatchObject([
      { cumulative_cost_micros_usd: 600_000, task_cumulative_cost_micros_usd: 1_200_000 },
    ]);
    expect(await taskCost(log, task_id)).toEqual({ micros: 1_200_000, runs: 2 });
    await renormalize(log, run.run_id, { adapters: [toyWithCosts] });
    expect(await taskCost(log, task_id)).toEqual({ micros: 1_200_000, runs: 2 });
  });

  it("counts what the first run of the task continues", async () => {
    const { log } = temporaryLog();
    const first = await record(log, { prompt: "spends 0.4 2" });
    const forked = await record(
      log,
      { prompt: "spends 0.1 2 waits", fork: "toy-session", budget: 1 },
      { adapter: forking },
    );
    expect(forked.run.task_id).not.toBe(first.run.task_id);
    expect(forked.run).toMatchObject({ prior_cost_micros_usd: 800_000, error_code: "budget_exceeded" });
    expect(forked.of("turn.completed").at(-1)).toMatchObject({
      run_cumulative_cost_micros_usd: 200_000,
      task_cumulative_cost_micros_usd: 1_000_000,
    });
  });

  it("does not start the agent if earlier runs of the task have spent the budget", async () => {
    const { log } = temporaryLog();
    const task_id = "task_01K9ZC0000SP00R00000000000";
    await record(log, { prompt: "spends 0.3 2" }, { task_id });
    const { run, types, of } = await record(log, { prompt: "say never", budget: 0.5 }, { task_id });
    expect(run).toMatchObject({ status: "failed", error_code: "budget_exceeded" });
    expect(types).toContain("cost.budget_exceeded");
    expect(of("assistant.text_delta")).toEqual([]);
    expect(await findingsOf(log, [run.run_id])).toEqual([]);
  });

  it("estimates the cost of tokens until the agent reports its cost", async () => {
    const { log } = temporaryLog();
    // 15 dollars for a million tokens.
    const { run, of } = await record(log, { prompt: `uses 20000 2 ${MODEL} waits`, budget: 0.5 });
    expect(run).toMatchObject({ error_code: "budget_exceeded", cost_micros_usd: 600_000 });
    expect(of("cost.tick")).toMatchObject([
      { cumulative_cost_micros_usd: 300_000, cost_source: "estimated" },
      { cumulative_cost_micros_usd: 600_000, cost_source: "estimated" },
    ]);
    const again = await renormalize(log, run.run_id, { adapters: [toyWithCosts] });
    expect(again.types).toEqual([]);
  });

  it("is refused for an agent that reports neither tokens nor costs", async () => {
    const { log } = temporaryLog();
    const run = record(log, { prompt: "say hello", budget: 1 }, { adapter: toy });
    await expect(run).rejects.toThrow(/A budget cannot be held for toy: .*--budget-advisory/);
    expect((await log.runs()).runs).toEqual([]);
    const advised = await record(log, { prompt: "say hello", budget: 1, budgetAdvisory: true }, { adapter: toy });
    expect(advised.run.status).toBe("completed");
  });

  it("fails in its second turn if nobody knows the price of its model", async () => {
    const { log } = temporaryLog();
    const options = { prompt: "uses 1000 2 no-such-model waits", budget: 1 };
    const { run, result } = await record(log, options, { adapter: toyWithTokens });
    expect(run).toMatchObject({ status: "failed", error_code: "validation_error" });
    expect(result.error?.message).toMatch(/The budget cannot be held, .*Choose another model/);
  });

  it("goes on if the budget is advisory, and says that it is spent", async () => {
    const { log } = temporaryLog();
    const { run, of } = await record(log, { prompt: "spends 0.6 3", budget: 1, budgetAdvisory: true });
    expect(run.status).toBe("completed");
    expect(of("cost.budget_warning").map(({ threshold_pct }) => threshold_pct)).toEqual([50, 100]);
    expect(of("cost.budget_exceeded")).toEqual([]);
  });

  it("holds without a log", async () => {
    const client = createClient({ adapters: [toyWithCosts], configDir: "/no/configuration" });
    const result = await client.run({ agent: "toy", prompt: "spends 0.6 2 waits", budget: 1 });
    expect(result.error?.code).toBe("BUDGET_EXCEEDED");
  });
});

describe("the end of every turn", () => {
  it("tells what the run and the task have cost", async () => {
    const { log } = temporaryLog();
    await record(log, { prompt: "spends 0.2 1" });
    const { of } = await record(log, { prompt: "spends 0.1 2", resume: "toy-session" });
    expect(of("turn.completed")).toMatchObject([
      { run_cumulative_cost_micros_usd: 100_000, task_cumulative_cost_micros_usd: 300_000 },
      { run_cumulative_cost_micros_usd: 200_000, task_cumulative_cost_micros_usd: 400_000 },
    ]);
  });

  it("has an estimate if the agent reports its cost only at the end of the prompt", async () => {
    const { log } = temporaryLog();
    const { run, of } = await record(log, { prompt: `uses 20000 3 ${MODEL} 1.5` });
    expect(of("turn.completed").map(({ run_cumulative_cost_micros_usd: cost }) => cost)).toEqual([
      ...[300_000, 600_000, 1_500_000],
    ]);
    expect(of("cost.tick").map(({ cost_source }) => cost_source)).toEqual(["estimated", "estimated", undefined]);
    expect(await findingsOf(log, [run.run_id])).toEqual([]);
    const again = await renormalize(log, run.run_id, { adapters: [toyWithCosts] });
    expect(again.types).toEqual([]);
  });
});

const [dialect] = toyWithCosts.dialects;
if (!dialect?.live) throw new Error("The toy has no dialect.");
const forking = {
  ...toyWithCosts,
  dialects: [{ ...dialect, live: { ...dialect.live, takes: [...(dialect.live.takes ?? []), "fork" as const] } }],
};
