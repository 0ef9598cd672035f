import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { MODEL, serveLoop } from "../testing/loop/loop-server.ts";
import { framesOf } from "../testing/server/sse-reader.ts";

const shell = (command: string, text?: string) => ({
  ...(text !== undefined && { text }),
  calls: [{ name: "shell_exec", input: { command } }],
});
const done = { text: "Done." };
/** A command that runs until the test makes the file `go`. */
const waits = shell("until [ -e go ]; do sleep 0.02; done");
const asks = { policy: ["ask shell **"] };
const auto = { approve: "auto" };

describe("runs of our loop over HTTP that go on from others", { timeout: 60_000 }, () => {
  it("repeat a run from each of its turns with the conversation up to there, and from no other turn", async () => {
    const s = await serveLoop([shell("echo one", "First."), shell("echo two", "Second."), { text: "Third." }]);
    const run_id = await s.start(auto);
    expect(await s.ended(run_id)).toMatchObject({ status: "completed", turns: 3 });
    const first = [...s.model.requests];
    for (const turn of [1, 2, 3]) {
      const before = s.model.requests.length;
      const { body, status } = await s.post(`/v1/runs/${run_id}/retry-from-turn`, { turn });
      expect(status).toBe(201);
      expect(await s.ended(body.data.run_id)).toMatchObject({ status: "completed", turns: 4 - turn });
      expect(s.model.requests.slice(before)).toEqual(first.slice(turn - 1));
      expect(await s.findings(run_id, body.data.run_id)).toEqual([]);
    }
    for (const turn of [0, 4, -1, 1.5, "2", undefined]) {
      const { status, body } = await s.post(`/v1/runs/${run_id}/retry-from-turn`, { turn });
      expect([status, body.error.message]).toEqual([
        422,
        expect.stringMatching(/^`?turn`? (must be a whole number|is missing)/),
      ]);
    }
  });

  it("continue, resume and fork with the whole conversation, once for each key", async () => {
    const s = await serveLoop([shell("echo one > one.txt"), done]);
    const run_id = await s.start(auto);
    await s.ended(run_id);
    const whole = [...(s.model.requests[1] ?? []), { role: "assistant", content: "Done." }];
    for (const [way, body, prompt] of [
      ["continue", { prompt: "And now?" }, "And now?"],
      ["resume", {}, "Continue with the task where you stopped."],
      ["fork", { prompt: "Another way?" }, "Another way?"],
    ] as const) {
      const target = `/v1/runs/${run_id}/${way}`;
      const [made, again] = [1, 2].map(() => s.post(target, body, { "idempotency-key": way }));
      const { run_id: next } = (await made)?.body.data ?? { run_id: "" };
      expect((await again)?.body.data.run_id).toBe(next);
      await s.ended(next);
      expect(s.model.requests.at(-1)).toEqual([...whole, { role: "user", content: prompt }]);
      const other = await s.post(target, { prompt: "Something else." }, { "idempotency-key": way });
      expect([other.status, other.body.error.code]).toEqual([422, "key_reused"]);
      expect(await s.findings(run_id, next)).toEqual([]);
    }
    expect((await s.post(`/v1/runs/${run_id}/continue`, {})).status).toBe(422);
  });
});

describe("approvals of our loop over HTTP", { timeout: 60_000 }, () => {
  it("let the run go on in the same turn, and tell a late answer who was first", async () => {
    const s = await serveLoop([shell("echo one > one.txt"), done]);
    const run_id = await s.start(asks);
    const parked = await s.until(run_id, { status: "awaiting_approval" });
    expect(parked).toMatchObject({ state: "blocked", pending: 1, parked: true, turns: 1 });
    expect(parked).not.toHaveProperty("worker_id");
    for (const [way, code] of Object.entries({
      ...{ pause: "not_running", interrupt: "not_running", unpause: "not_paused", send: "not_running" },
      ...{ retry: "run_active", continue: "run_active", resume: "run_active", fork: "workspace_busy" },
    })) {
      const body = way === "send" ? { text: "x" } : way === "continue" ? { prompt: "x" } : {};
      const { status, body: answer } = await s.post(`/v1/runs/${run_id}/${way}`, body);
      expect([way, status, answer.error.code]).toEqual([way, 409, code]);
      expect(answer.error.conflict).toMatchObject({ run_id });
    }
    const [id] = await s.pending(run_id);
    const target = `/v1/approvals/${id}/resolve`;
    const wrong = await s.post(target, { decision: "approve", action_hash: "0".repeat(64) });
    expect([wrong.status, wrong.body.error.code]).toEqual([409, "action_changed"]);
    const answers = await Promise.all([1, 2, 3].map(() => s.post(target, { decision: "approve" })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(await s.ended(run_id)).toMatchObject({ status: "completed", turns: 2, files_changed: 1 });
    const late = await s.post(target, { decision: "reject" });
    expect([late.status, late.body.error.code]).toEqual([409, "approval_resolved"]);
    expect(late.body.error.conflict).toMatchObject({ decision: "approved", by: "http" });
    expect(await s.findings(run_id)).toEqual([]);
  });

  it("end the run at a no, with the other calls", async () => {
    const s = await serveLoop([{ calls: [...shell("echo a > a").calls, ...shell("echo b > b").calls] }, done]);
    const run_id = await s.start(asks);
    await s.until(run_id, { status: "awaiting_approval" });
    const [first, second] = await s.pending(run_id);
    await s.post(`/v1/approvals/${first}/resolve`, { decision: "reject", comment: "Not here." });
    expect(await s.ended(run_id)).toMatchObject({ status: "failed", error_code: "approval_rejected" });
    expect((await s.get(`/v1/approvals/${second}`)).body.data).toMatchObject({ status: "cancelled" });
    expect(s.model.requests).toHaveLength(1);
    expect(await s.findings(run_id)).toEqual([]);
  });

  it.each([
    ["reject", "approve"],
    ["approve", "reject"],
    ["reject", "reject"],
  ])("tell the model of a no if the task says so: %s, %s", async (...decisions) => {
    const s = await serveLoop([{ calls: [...shell("echo a > 0").calls, ...shell("echo b > 1").calls] }, done]);
    const run_id = await s.start({ ...asks, on_reject: "continue" });
    await s.until(run_id, { status: "awaiting_approval" });
    for (const [index, id] of (await s.pending(run_id)).entries())
      await s.post(`/v1/approvals/${id}/resolve`, { decision: decisions[index], comment: "Not here." });
    expect(await s.ended(run_id)).toMatchObject({ status: "completed", turns: 2 });
    const results = s.model.requests
      .at(-1)
      ?.slice(-2)
      .map(({ content }) => content);
    const steps = (await s.get(`/v1/runs/${run_id}/steps`)).body.data as unknown as { kind: string; status: string }[];
    const calls = steps.filter(({ kind }) => kind === "tool_call").map(({ status }) => status);
    for (const [index, decision] of decisions.entries()) {
      const isNo = decision === "reject";
      if (isNo) expect(results?.[index]).toBe("http rejected this call. Not here.");
      expect(calls[index]).toBe(isNo ? "cancelled" : "completed");
      expect(existsSync(path.join(s.workspace, `${index}`))).toBe(!isNo);
    }
    expect(await s.findings(run_id)).toEqual([]);
  });

  it.each([
    [{}, { status: "failed", error_code: "approval_timed_out" }],
    [{ on_reject: "continue" }, { status: "failed", error_code: "approval_timed_out" }],
    [{ on_approval_timeout: "cancel_run" }, { status: "cancelled" }],
  ])("are decided by their deadline, soon after it, and a later answer is refused: %o", async (more, end) => {
    const s = await serveLoop([shell("echo a > a"), done]);
    const run_id = await s.start({ ...asks, approval_timeout_ms: 1, ...more });
    const asked = await s.untilEvent(run_id, "approval.requested");
    const late = await s.post(`/v1/approvals/${asked.data.approval_id}/resolve`, { decision: "approve" });
    expect([late.status, late.body.error.conflict?.by]).toEqual([409, "deadline"]);
    expect(await s.ended(run_id)).toMatchObject(end);
    const unanswered = await s.start({ ...asks, approval_timeout_ms: 1, ...more });
    await s.until(unanswered, { ...end });
    expect(await s.findings(run_id, unanswered)).toEqual([]);
    expect(existsSync(path.join(s.workspace, "a"))).toBe(false);
  });
});

describe("commands for a run of our loop over HTTP", { timeout: 60_000 }, () => {
  it("pause it between two turns: its worker is free until it is unpaused", async () => {
    const s = await serveLoop([waits, done], { workers: 1 });
    const workspace = { path: s.workspace, share: true };
    const run_id = await s.start({ ...auto, workspace });
    await s.untilEvent(run_id, "tool.started");
    expect((await s.post(`/v1/runs/${run_id}/pause?wait=0`)).status).toBe(202);
    const again = await s.post(`/v1/runs/${run_id}/pause?wait=5`);
    expect([again.status, again.body.error.code]).toEqual([409, "paused"]);
    writeFileSync(path.join(s.workspace, "go"), "");
    expect(await s.until(run_id, { paused: true })).toMatchObject({ status: "queued", state: "blocked" });
    const other = await s.start({ workspace, policy: ["block shell **"] });
    expect(await s.ended(other)).toMatchObject({ status: "completed" });
    expect((await s.post(`/v1/runs/${run_id}/unpause`)).status).toBe(200);
    expect(await s.ended(run_id)).toMatchObject({ status: "completed", turns: 2 });
    expect(await s.findings(run_id, other)).toEqual([]);
  });

  it("give it a further prompt once, and interrupt it so that it can be continued", async () => {
    const s = await serveLoop([waits, done]);
    const run_id = await s.start(auto);
    await s.untilEvent(run_id, "tool.started");
    for (const _ of [1, 2])
      await s.post(`/v1/runs/${run_id}/send?wait=0`, { text: "Also." }, { "idempotency-key": "also" });
    writeFileSync(path.join(s.workspace, "go"), "");
    await s.ended(run_id);
    expect(s.model.requests.at(-1)?.filter(({ role }) => role === "user")).toHaveLength(2);
    expect(s.model.requests.at(-1)?.at(-1)).toEqual({ role: "user", content: "Also." });
    const folder = path.dirname(s.directory);
    const stopped = await s.start({ ...auto, workspace: { path: folder } });
    await s.untilEvent(stopped, "tool.started");
    expect((await s.post(`/v1/runs/${stopped}/interrupt?wait=20`)).status).toBe(200);
    expect(await s.ended(stopped)).toMatchObject({ status: "cancelled" });
    expect(await s.types(stopped)).toContain("run.interrupted");
    const { body } = await s.post(`/v1/runs/${stopped}/continue`, { prompt: "Go on." });
    expect(await s.ended(body.data.run_id)).toMatchObject({ status: "completed" });
    expect(s.model.requests.at(-1)?.at(-2)).toMatchObject({ role: "tool", content: "The run was stopped." });
    expect(await s.findings(run_id, stopped, body.data.run_id)).toEqual([]);
  });

  it("cancel it in every state, once", async () => {
    const s = await serveLoop(
      (messages) =>
        messages[1]?.content === "hang" ? { hangs: true } : messages.at(-1)?.role === "tool" ? done : waits,
      { workers: 1 },
    );
    const start = (more: object) => s.start({ workspace: { path: s.workspace, share: true }, ...more });
    const cancel = async (run_id: string): Promise<void> => {
      expect((await s.post(`/v1/runs/${run_id}/cancel?wait=20`, { reason: "enough" })).status).toBe(200);
      expect(await s.ended(run_id)).toMatchObject({ status: "cancelled" });
      expect((await s.types(run_id)).filter((type) => type === "run.cancelled")).toHaveLength(1);
      const again = await s.post(`/v1/runs/${run_id}/cancel`);
      expect([again.status, again.body.error.code]).toEqual([409, "run_over"]);
      expect(await s.findings(run_id)).toEqual([]);
    };
    const running = await start(auto);
    await s.untilEvent(running, "tool.started");
    await cancel(await start(auto));
    await cancel(running);
    const calling = await start({ prompt: "hang" });
    await vi.waitUntil(() => s.model.requests.some((messages) => messages[1]?.content === "hang"), 20_000);
    await cancel(calling);
    const asked = await start(asks);
    await s.until(asked, { status: "awaiting_approval" });
    await cancel(asked);
    const gated = await start({ policy: ["ask task agent_loop"] });
    expect(await s.run(gated)).toMatchObject({ status: "awaiting_approval" });
    await cancel(gated);
    const paused = await start(auto);
    await s.untilEvent(paused, "tool.started");
    await s.post(`/v1/runs/${paused}/pause?wait=0`);
    writeFileSync(path.join(s.workspace, "go"), "");
    await s.until(paused, { paused: true });
    await cancel(paused);
  });
});

describe("what HTTP tells of a run of our loop", { timeout: 60_000 }, () => {
  it("is its steps with their cost, its changes up to each checkpoint, and the same bytes to every reader", async () => {
    const s = await serveLoop([shell("echo one > one.txt"), shell("echo two > two.txt"), done]);
    const token = readFileSync(path.join(s.directory, "token"), "utf8").trim();
    const read = async (run_id: string, accept: string) =>
      fetch(`${s.server.url}/v1/runs/${run_id}/events`, { headers: { authorization: `Bearer ${token}`, accept } });
    const run_id = await s.start(auto);
    const live = framesOf(await read(run_id, "text/event-stream"));
    const ended = await s.ended(run_id);
    const bulk = (await (await read(run_id, "application/x-ndjson")).text()).trimEnd().split("\n");
    const frames = (await live).filter(({ id }) => id !== undefined).map(({ data }) => data);
    expect(frames).toEqual(bulk);
    const steps = (await s.get(`/v1/runs/${run_id}/steps`)).body.data as unknown as Record<string, unknown>[];
    expect(steps.map(({ kind, status }) => [kind, status])).toEqual([
      ...["model_call", "tool_call", "model_call", "tool_call", "model_call"].map((kind) => [kind, "completed"]),
    ]);
    const costs = steps.map(({ cost_micros_usd = 0 }) => cost_micros_usd as number);
    expect(costs.reduce((sum, cost) => sum + cost)).toBe(ended.cost_micros_usd);
    const usage = (await s.get("/v1/usage")).body as unknown as { total: object };
    expect(usage.total).toMatchObject({ runs: 1, turns: 3, cost_micros_usd: ended.cost_micros_usd });
    const files = async (query: string) =>
      ((await s.get(`/v1/runs/${run_id}/diff${query}`)).body.data.files as { path: string }[]).map((each) => each.path);
    const checkpoints = (await s.events(run_id)).filter(({ type }) => type === "run.checkpoint_saved");
    const through = await Promise.all(checkpoints.map(({ data }) => files(`?through=${data.checkpoint_id}`)));
    const both = ["one.txt", "two.txt"];
    expect(through).toEqual([[], ["one.txt"], ["one.txt"], both, both]);
    expect(await files("")).toEqual(both);
    expect((await s.get(`/v1/runs/${run_id}/diff?through=nothing`)).status).toBe(404);
  });

  it("is the reason why a budget stopped it, also when it is continued", async () => {
    const s = await serveLoop([{ ...shell("echo hi"), usage: { input: 100_000, output: 1_000 } }, done]);
    const run_id = await s.start({ ...auto, budget_micros_usd: 50_000 });
    expect(await s.ended(run_id)).toMatchObject({ status: "failed", error_code: "budget_exceeded", turns: 1 });
    const { body } = await s.post(`/v1/runs/${run_id}/continue`, { prompt: "Go on." });
    expect(await s.ended(body.data.run_id)).toMatchObject({ error_code: "budget_exceeded", turns: 0 });
    expect(s.model.requests).toHaveLength(1);
    expect(await s.findings(run_id, body.data.run_id)).toEqual([]);
  });

  it.each([
    [{ budget_micros_usd: 0 }, "budget_micros_usd must be a whole number"],
    [{ prompt: undefined }, "prompt is missing"],
    [{ on_reject: "maybe" }, "on_reject must be one of"],
    [{ agent: "claude" }, "agent does not apply"],
    [{ model: "nobody/x", start: true }, "No provider is called"],
  ])("is what is wrong with a task: %o", async (wrong, message) => {
    const s = await serveLoop([done], { workers: 0 });
    const task = { kind: "agent_loop", prompt: "x", model: MODEL, ...wrong };
    const { status, body } = await s.post("/v1/tasks", task);
    expect([status, body.error.message]).toEqual([422, expect.stringContaining(message)]);
  });
});
