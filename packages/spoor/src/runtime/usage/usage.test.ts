import { createUlidSource, prefixed } from "@spoor/protocol";
import type { ErrorAnswer, RunCostAnswer, StepList, UsageAnswer } from "@spoor/protocol/api";
import { createSpoorClient } from "@spoor/protocol/client";
import { describe, expect, it } from "vitest";
import { run as runCommand } from "../../../testing/cli/run.ts";
import { type Served, serve, TOKEN } from "../../../testing/server/serve.ts";
import type { Log } from "../../log/log.ts";
import type { RunFacts } from "../../log/records.ts";
import { factsAfter } from "../projections/run-facts.ts";

const DAY = Date.parse("2026-11-15T12:00:00Z");
const NEXT_DAY = Date.parse("2026-11-16T12:00:00Z");
const TASK = "task_01K9ZC0000SP00R00000000001";
const OTHER_TASK = "task_01K9ZC0000SP00R00000000002";
const SESSION = "chat_01K9ZC0000SP00R00000000001";
const ulid = createUlidSource();

type Event = [type: string, data: object];

async function addRun(
  log: Log,
  {
    task_id = TASK,
    agent = "claude",
    kind = "agent",
    at = DAY,
    events = [] as Event[],
    session_id = SESSION,
    ...facts
  }: NewRun,
): Promise<string> {
  const run_id = prefixed("run", ulid());
  const drafts = [["run.created", { kind, agent }] as Event, ...events].map(([type, data], index) => ({
    ...{ type, timestamp: at + index * 1_000, json: JSON.stringify(data) },
  }));
  const create = { task_id, agent, kind, session_id };
  await log.append([{ run_id, create, drafts, facts: { status: "completed", ended_at: at + 60_000, ...facts } }]);
  return run_id;
}

interface NewRun extends RunFacts {
  task_id?: string;
  session_id?: string;
  agent?: string;
  kind?: string;
  at?: number;
  events?: Event[];
}

/** Two runs of one task on two days, one of another task that continues the first, and one of an agent without costs. */
async function servedRuns(): Promise<Served & { first: string }> {
  const served = await serve();
  const { log } = served;
  const reported = { cost_source: "agent_reported", model: "large", turns: 2 };
  const first = await addRun(log, { ...reported, cost_micros_usd: 500_000, events: turns });
  await addRun(log, { ...reported, at: NEXT_DAY, cost_micros_usd: 250_000, prior_cost_micros_usd: 500_000 });
  await addRun(log, {
    ...{ task_id: OTHER_TASK, session_id: "chat_01K9ZC0000SP00R00000000002", at: NEXT_DAY, agent: "codex" },
    ...{ model: "small", turns: 1, cost_micros_usd: 100_000, cost_source: "estimated" },
    prior_cost_micros_usd: 500_000,
  });
  await addRun(log, {
    task_id: OTHER_TASK,
    session_id: "chat_01K9ZC0000SP00R00000000003",
    agent: "kimi",
    at: NEXT_DAY,
  });
  await addRun(log, { ...reported, cost_micros_usd: 500_000, renormalized_from_run_id: first });
  return { ...served, first };
}

const drafted = ([type, data]: Event) => ({ type, timestamp: DAY, json: JSON.stringify(data) });

const jsonOf = async <Answer>(response: Response): Promise<Answer> => (await response.json()) as Answer;

const turns: Event[] = [
  ["turn.started", { turn_index: 1, model: "large" }],
  ["assistant.tool_call_proposed", { turn_index: 1, tool_call_id: "c1", tool_name: "Bash", input: {} }],
  ["tool.invoked", { tool_call_id: "c1", tool_name: "Bash", kind: "shell", turn_index: 1 }],
  ["approval.requested", { approval_id: "appr_1", kind: "shell_command", tool_call_id: "c1" }],
  ["approval.resolved", { approval_id: "appr_1", decision: "approved" }],
  ["tool.started", { tool_call_id: "c1", tool_name: "Bash", kind: "shell" }],
  ["tool.completed", { tool_call_id: "c1", tool_name: "Bash", kind: "shell", summary: "exited with status 0" }],
  ["cost.tick", { delta_cost_micros_usd: 200_000, cost_source: "estimated" }],
  ["turn.completed", { turn_index: 1 }],
  ["turn.started", { turn_index: 2, model: "large" }],
  ["tool.invoked", { tool_call_id: "c2", tool_name: "Edit", kind: "edit", turn_index: 2 }],
  ["policy.tool_blocked", { tool_call_id: "c2", tool_name: "Edit", reason: "A rule blocks it." }],
  ["cost.tick", { delta_cost_micros_usd: 300_000, cost_source: "agent_reported" }],
  ["turn.failed", { turn_index: 2, code: "upstream", message: "Overloaded.", will_retry: false }],
  ["turn.completed", { turn_index: 2 }],
];

const noTokens = {
  ...{ input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, thinking_tokens: 0 },
  ...{ runs_failed: 0, runs_cancelled: 0 },
};

describe("GET /v1/usage", () => {
  it("tells tokens, sources, failures and the days of a time zone in one answer", async () => {
    const { get, log, server } = await serve();
    const midnight = Date.parse("2026-11-15T23:30:00Z");
    const tick = (tokens: number, cost: number): Event => [
      "cost.tick",
      {
        ...{ cumulative_input_tokens: tokens, cumulative_output_tokens: 10, cumulative_cached_input_tokens: 40 },
        ...{ cumulative_thinking_tokens: 3, cumulative_cost_micros_usd: cost, cost_source: "estimated" },
      },
    ];
    const folded = factsAfter({}, [drafted(tick(50, 1_000)), drafted(tick(100, 2_000))]);
    await addRun(log, { ...(folded as RunFacts), at: midnight, model: "small", status: "failed" });
    await addRun(log, { at: midnight - 3_600_000, agent: "kimi", status: "cancelled" });
    await addRun(log, { at: midnight, agent: "shell", kind: "shell" });
    const client = createSpoorClient({ url: server.url, token: TOKEN });
    const { data, total, time_zone } = await client.usage({ by: "day,agent,model,source", time_zone: "Europe/Berlin" });
    expect(time_zone).toBe("Europe/Berlin");
    expect(data.map(({ day, agent, model, source, runs }) => [day, agent, model, source, runs])).toEqual([
      ["2026-11-15", "kimi", "", "unknown", 1],
      ["2026-11-16", "claude", "small", "estimated", 1],
      ["2026-11-16", "shell", "", "none", 1],
    ]);
    expect(total).toMatchObject({
      ...{ runs: 3, runs_without_cost: 1, runs_without_tokens: 1, runs_failed: 1, runs_cancelled: 1 },
      ...{ input_tokens: 100, cached_input_tokens: 40, output_tokens: 10, thinking_tokens: 3, cost_micros_usd: 2_000 },
    });
    const refused = await get("/v1/usage?time_zone=Mars/Base");
    expect([refused.status, (await jsonOf<ErrorAnswer>(refused)).error.message]).toEqual([
      400,
      "time_zone must be the name of a time zone, such as Europe/Berlin.",
    ]);
  });

  it("counts each run once, and leaves out runs made from tapes", async () => {
    const { get } = await servedRuns();
    expect(await (await get("/v1/usage")).json()).toEqual({
      object: "usage",
      by: ["day"],
      data: [
        {
          ...{ ...noTokens, runs_without_tokens: 1 },
          ...{ day: "2026-11-15", runs: 1, runs_without_cost: 0, turns: 2, cost_micros_usd: 500_000 },
          ...{ cost_source: "agent_reported", cost_by_source: { agent_reported: 500_000 } },
        },
        {
          ...{ ...noTokens, runs_without_tokens: 3 },
          ...{ day: "2026-11-16", runs: 3, runs_without_cost: 1, turns: 3, cost_micros_usd: 350_000 },
          ...{ cost_source: "mixed", cost_by_source: { agent_reported: 250_000, estimated: 100_000 } },
        },
      ],
      total: {
        ...{ ...noTokens, runs_without_tokens: 4 },
        ...{ runs: 4, runs_without_cost: 1, turns: 5, cost_micros_usd: 850_000, cost_source: "mixed" },
        cost_by_source: { agent_reported: 750_000, estimated: 100_000 },
      },
    });
  });

  it("does not miss the cost of runs that call no model", async () => {
    const { get, log } = await serve();
    for (const kind of ["shell", "git", "file", "agent"]) await addRun(log, { kind, agent: kind });
    const { total } = (await (await get("/v1/usage")).json()) as UsageAnswer;
    expect(total).toMatchObject({ runs: 4, runs_without_cost: 1, cost_micros_usd: 0 });
  });

  it("groups by several fields, and filters by time and field", async () => {
    const { get, server } = await servedRuns();
    const client = createSpoorClient({ url: server.url, token: TOKEN });
    const { data, total } = await client.usage({ by: "agent,model,task", from: "2026-11-16T00:00:00Z" });
    expect(data.map(({ agent, model, task_id, cost_micros_usd }) => [agent, model, task_id, cost_micros_usd])).toEqual([
      ["claude", "large", TASK, 250_000],
      ["codex", "small", OTHER_TASK, 100_000],
      ["kimi", "", OTHER_TASK, 0],
    ]);
    expect(total.cost_micros_usd).toBe(350_000);
    const until = await client.usage({ to: "2026-11-16T00:00:00Z", agent: "claude" });
    expect(until.total).toMatchObject({ runs: 1, cost_micros_usd: 500_000 });
    expect((await client.usage({ session_id: SESSION })).total).toMatchObject({ cost_micros_usd: 750_000 });
    expect((await jsonOf<UsageAnswer>(await get("/hecate/v1/usage?by=session"))).by).toEqual(["session"]);
  });

  it("refuses a group and a time that it does not know", async () => {
    const { get } = await serve();
    const refused = await get("/v1/usage?by=day,colour");
    expect([refused.status, (await jsonOf<ErrorAnswer>(refused)).error.message]).toEqual([
      400,
      "by must be a comma-separated list of day, agent, model, source, task, session.",
    ]);
    expect((await get("/v1/usage?from=yesterday")).status).toBe(400);
  });
});

describe("the steps of a run", () => {
  it("are its model calls with their cost, and its tool calls", async () => {
    const { server, first, get } = await servedRuns();
    const steps = await createSpoorClient({ url: server.url, token: TOKEN }).runs.steps(first);
    const at = (seconds: number) => new Date(DAY + seconds * 1_000).toISOString();
    expect(steps).toMatchObject([
      {
        ...{ step_id: "turn-1", kind: "model_call", status: "completed", name: "large", turn_index: 1 },
        ...{ cost_micros_usd: 200_000, cost_source: "estimated", started_at: at(1), ended_at: at(9) },
        ...{ duration_ms: 8_000, first_sequence: 1, last_sequence: 9 },
      },
      {
        ...{ step_id: "c1", kind: "tool_call", status: "completed", name: "Bash", tool_kind: "shell", turn_index: 1 },
        summary: "exited with status 0",
      },
      {
        ...{ step_id: "turn-2", status: "failed", error: "Overloaded.", cost_micros_usd: 300_000 },
        cost_source: "agent_reported",
      },
      { step_id: "c2", status: "blocked", error: "A rule blocks it." },
    ]);
    expect((await get("/v1/runs/run_none/steps")).status).toBe(404);
    expect((await get(`/v1/tasks/${OTHER_TASK}/runs/${first}/steps`)).status).toBe(404);
  });

  it("say that a call waits for an answer", async () => {
    const { log, get } = await serve();
    const run_id = await addRun(log, { status: "awaiting_approval", events: turns.slice(0, 4) });
    const { data } = await jsonOf<StepList>(await get(`/v1/runs/${run_id}/steps`));
    expect(data).toMatchObject([{ status: "running" }, { step_id: "c1", status: "awaiting_approval" }]);
  });
});

describe("the cost of a run", () => {
  it("is told by turn and in all, with its task and its conversation", async () => {
    const { server, first } = await servedRuns();
    const cost = await createSpoorClient({ url: server.url, token: TOKEN }).runs.cost(first);
    expect(cost).toEqual({
      run_id: first,
      turns: [
        { turn_index: 1, model: "large", cost_micros_usd: 200_000, cost_source: "estimated" },
        { turn_index: 2, model: "large", cost_micros_usd: 300_000, cost_source: "agent_reported" },
      ],
      run: { cost_micros_usd: 500_000, cost_source: "agent_reported" },
      task: { task_id: TASK, cost_micros_usd: 750_000, cost_source: "agent_reported", runs: 2 },
      session: { session_id: SESSION, cost_micros_usd: 750_000, cost_source: "agent_reported", runs: 2 },
    });
  });

  it("includes what the first run of its task continues", async () => {
    const { log, get } = await servedRuns();
    const [run] = (await log.runs({ agent: "codex" })).runs;
    const { data } = await jsonOf<RunCostAnswer>(await get(`/v1/runs/${run?.run_id}/cost`));
    expect(data.task).toMatchObject({ cost_micros_usd: 600_000, runs: 2 });
  });
});

describe("spoor cost", () => {
  it("prints groups, their source and the total", async () => {
    const { directory } = await servedRuns();
    const { stdout, code } = await runCommand(["cost", "--by", "agent", "--data", directory]);
    expect(code).toBe(0);
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["AGENT", "RUNS", "TURNS", "COST", "SOURCE"],
      ["claude", "2", "4", "$0.7500", "reported by the agent"],
      ["codex", "1", "1", "$0.1000", "estimated"],
      ["kimi", "1", "0", "unknown"],
      ["total", "4", "5", "$0.8500", "in part estimated, without 1 run"],
      [""],
    ]);
    const json = await runCommand(["cost", "--from", "2026-11-16T00:00:00Z", "--json", "--data", directory]);
    expect(JSON.parse(json.stdout).total.cost_micros_usd).toBe(350_000);
    const days = await runCommand(["cost", "--days", "7", "--json", "--data", directory]);
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
    expect(JSON.parse(days.stdout)).toMatchObject({ by: ["day", "agent"], time_zone: timeZone });
  });

  it("prints the turns of a run, the run, its task and its conversation", async () => {
    const { directory, first } = await servedRuns();
    const { stdout } = await runCommand(["cost", first, "--data", directory]);
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["turn 1", "$0.2000", "estimated", "large"],
      ["turn 2", "$0.3000", "reported by the agent", "large"],
      ["run", "$0.5000", "reported by the agent"],
      ["task", "$0.7500", "reported by the agent", "2 runs"],
      ["session", "$0.7500", "reported by the agent", "2 runs"],
      [""],
    ]);
  });

  it("refuses groups that it does not know, and a run together with a choice of runs", async () => {
    const { stderr, code } = await runCommand(["cost", "--by", "colour"]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(
        "--by takes some of day, agent, model, source, task, session, separated by commas, not colour.",
      ),
    ]);
    expect((await runCommand(["cost", "last", "--by", "day"])).code).toBe(2);
  });

  it("lists the steps of a run with spoor show --steps", async () => {
    const { directory, first } = await servedRuns();
    const { stdout } = await runCommand(["show", first, "--steps", "--data", directory]);
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["STEP", "STATUS", "TOOK", "COST", "WHAT", "SUMMARY"],
      ["turn-1", "completed", "8.0 s", "$0.2000", "large"],
      ["c1", "completed", "5.0 s", "Bash", "exited with status 0"],
      ["turn-2", "failed", "5.0 s", "$0.3000", "large", "Overloaded."],
      ["c2", "blocked", "1.0 s", "Edit", "A rule blocks it."],
      [""],
    ]);
    const json = await runCommand(["show", first, "--steps", "--json", "--data", directory]);
    expect(
      json.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).step_id),
    ).toEqual([...["turn-1", "c1", "turn-2", "c2"]]);
  });
});
