import { describe, expect, it, onTestFinished } from "vitest";
import { untilStatus } from "../../../testing/runtime/task-runtime.ts";
import { envelopesOf } from "../../../testing/runtime/temporary-log.ts";
import { fakeAgent, serveTasks } from "../../../testing/server/task-server.ts";
import { sendCommand } from "../../runtime/commands/send.ts";
import { createAndStart } from "../../runtime/tasks/index.ts";
import { serve } from "../serving/serve.ts";

const TIMEOUT = { timeout: 60_000 };

describe("a task of an agent", TIMEOUT, () => {
  it("is created, started, and ends with the documented events", async () => {
    const { post, get, ended, types, findings, workspace, log } = await serveTasks();
    const spec = { agent: "claude", prompt: "hello", agent_command: fakeAgent, workspace: { path: workspace } };
    const created = await post("/v1/tasks", spec);
    expect(created).toMatchObject({
      status: 201,
      body: { object: "task", data: { status: "not_started", run_count: 0, spec } },
    });
    const { task_id } = created.body.data;
    const started = await post(`/v1/tasks/${task_id}/start`);
    expect(started).toMatchObject({
      status: 201,
      body: { object: "run", data: { task_id, status: "queued", kind: "agent" } },
    });
    const { run_id } = started.body.data;
    expect(await ended(run_id)).toMatchObject({ status: "completed", executor: "process", agent: "claude" });
    await untilSettled(log, task_id);
    const all = await types(run_id);
    expect(all.slice(0, 5)).toEqual(["run.created", "run.queued", "run.started", "user.message", "session.started"]);
    expect(all.slice(-3)).toEqual(["session.ended", "run.finished", "task.updated"]);
    expect(await findings(run_id)).toEqual([]);
    const task = await get(`/v1/tasks/${task_id}`);
    expect(task.body.data).toMatchObject({ status: "completed", latest_run_id: run_id, run_count: 1 });
  });

  it("is retried, continued, resumed and forked with the cost of all runs before", async () => {
    const { post, ended, events, types, findings, workspace, log } = await serveTasks();
    const spec = {
      agent: "claude",
      prompt: "costs 0.5",
      agent_command: fakeAgent,
      workspace: { path: workspace },
      start: true,
    };
    const { task_id, latest_run_id: first } = (await post("/v1/tasks", spec)).body.data;
    expect(await ended(first)).toMatchObject({ cost_micros_usd: 500_000 });
    await untilSettled(log, task_id);

    const retry = await post(`/v1/runs/${first}/retry`, { reason: "once more" });
    expect(retry).toMatchObject({
      status: 201,
      body: { data: { task_id, prior_run_id: first, prior_cost_micros_usd: 500_000 } },
    });
    const second = retry.body.data.run_id;
    await ended(second);
    await untilSettled(log, task_id);
    expect((await types(second)).slice(0, 4)).toEqual([
      "run.created",
      "run.resumed_from_event",
      "run.queued",
      "run.started",
    ]);
    const [, resumed, , started] = await events(second);
    expect(resumed?.data).toMatchObject({
      from_run_id: first,
      retry_from_turn: 1,
      reason: "once more",
      prior_cost_micros_usd: 500_000,
    });
    expect(started?.data).toMatchObject({ resume_from_run_id: first });
    // It begins anew, so no step of the first run is kept.
    expect(started?.data).not.toHaveProperty("resume_from_step_id");

    const next = await post(`/v1/tasks/${task_id}/runs/${second}/continue`, { prompt: "argv costs 0.25" });
    expect(next).toMatchObject({ status: 201, body: { data: { task_id, prior_cost_micros_usd: 1_000_000 } } });
    const third = next.body.data.run_id;
    expect(await ended(third)).toMatchObject({ status: "completed" });
    await untilSettled(log, task_id);
    const all = await types(third);
    const kept = { resume_from_run_id: second, resume_from_step_id: "turn-1" };
    expect((await events(third)).find(({ type }) => type === "run.started")?.data).toMatchObject(kept);
    expect(await log.run(third)).toMatchObject({ prior_run_id: second, prior_step_id: "turn-1" });
    expect(all).toContain("session.resumed");
    expect(all.indexOf("session.resumed")).toBe(all.indexOf("session.started") + 1);
    const said = (await events(third)).find(({ type }) => type === "assistant.text_complete");
    expect(said?.data.text).toContain("--resume");
    expect((await log.run(third))?.session_id).toBe((await log.run(second))?.session_id);

    const resume = await post(`/hecate/v1/runs/${third}/resume`);
    expect(resume).toMatchObject({ status: 201, body: { data: { task_id, prior_run_id: third } } });
    await ended(resume.body.data.run_id);
    await untilSettled(log, task_id);

    // A prompt that goes on is stored as well, so it must hold no secret either.
    const key = ["sk-ant", "api03-abcdefghijklmnopqrstuvwxyz0123456789"].join("-");
    for (const way of ["continue", "fork", "resume"]) {
      const refused = await post(`/v1/runs/${third}/${way}`, { prompt: `use ${key}` });
      expect(refused.status).toBe(422);
      expect(JSON.stringify(refused.body)).toContain("prompt holds a secret");
      expect(JSON.stringify(refused.body)).not.toContain(key);
    }

    const fork = await post(`/v1/runs/${third}/fork`, { prompt: "argv" });
    expect(fork.status).toBe(201);
    expect(fork.body.data.task_id).not.toBe(task_id);
    const forked = fork.body.data.run_id;
    await ended(forked);
    await untilSettled(log, fork.body.data.task_id);
    const inFork = await types(forked);
    expect(inFork).toContain("session.forked");
    expect(await findings(first, second, third, resume.body.data.run_id, forked)).toEqual([]);

    const again = await post(`/v1/runs/${third}/retry-from-turn`, { turn: 1 });
    expect(again).toMatchObject({ status: 201 });
    await ended(again.body.data.run_id);
    await untilSettled(log, task_id);
    const late = await post(`/v1/runs/${third}/retry-from-turn`, { turn: 9 });
    expect(late).toMatchObject({ status: 422, body: { error: { code: "invalid" } } });
  });

  it("that is running goes on when the server is closed, and is finished when the next one looks", async () => {
    const first = await serveTasks();
    const spec = {
      agent: "claude",
      prompt: "hang",
      agent_command: fakeAgent,
      workspace: { path: first.workspace },
      start: true,
    };
    const { latest_run_id: run_id } = (await first.post("/v1/tasks", spec)).body.data;
    while (!(await first.types(run_id)).includes("assistant.text_complete")) await first.get("/healthz");
    const { worker_id } = (await first.log.run(run_id)) ?? {};
    expect(worker_id).not.toContain(`/${process.pid}/`);
    const pid = Number(worker_id?.split("/")[2]);
    process.kill(pid, "SIGTERM");
    expect(await first.ended(run_id)).toMatchObject({ status: "cancelled" });
  });
});

it("an agent whose process is killed is resumed once by the server, if its task asks for that", TIMEOUT, async () => {
  const { post, log, types, workspace, directory, server } = await serveTasks();
  const spec = { agent: "claude", prompt: "hang", recover: "resume", agent_command: fakeAgent, start: true };
  const { task_id, latest_run_id: run_id } = (await post("/v1/tasks", { ...spec, workspace: { path: workspace } })).body
    .data;
  while (!(await types(run_id)).includes("assistant.text_complete"))
    await new Promise((resolve) => setTimeout(resolve, 10));
  process.kill(Number((await log.run(run_id))?.worker_id?.split("/")[2]), "SIGKILL");
  await server.close(0);
  const next = await serve({ directory, port: 0, workers: 1 });
  onTestFinished(() => next.close(0));
  expect(await untilStatus(next.log, run_id)).toMatchObject({ status: "failed", error_code: "process_gone" });
  let resumed = (await next.log.task(task_id))?.latest_run_id ?? run_id;
  while (resumed === run_id) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    resumed = (await next.log.task(task_id))?.latest_run_id ?? run_id;
  }
  expect(await untilStatus(next.log, resumed)).toMatchObject({ status: "completed", prior_run_id: run_id });
});

it("an agent that outlives its server counts as one of the workers of the next one", TIMEOUT, async () => {
  const { post, log, types, workspace, directory, server } = await serveTasks({ workers: 1 });
  const place = { workspace: { path: workspace, share: true }, start: true };
  const agent = { agent: "claude", prompt: "hang", agent_command: fakeAgent, ...place };
  const { latest_run_id: survivor } = (await post("/v1/tasks", agent)).body.data;
  while (!(await types(survivor)).includes("assistant.text_complete"))
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect((await log.run(survivor))?.launcher_id).toContain(`/${process.pid}/`);
  await server.close(0);
  const next = await serve({ directory, port: 0, workers: 1 });
  onTestFinished(() => next.close(0));
  const tasks = { log: next.log, directory, by: "test" };
  const waiting = await createAndStart(tasks, { kind: "shell", command: "true", workspace: place.workspace });
  await sendCommand(next.log, { run_id: survivor, kind: "cancel", by: "test" });
  expect(await untilStatus(next.log, survivor)).toMatchObject({ status: "cancelled" });
  expect(await untilStatus(next.log, waiting.run_id)).toMatchObject({ status: "completed" });
  const at = async (run_id: string, wanted: string) =>
    Date.parse((await envelopesOf(next.log, run_id)).find(({ type }) => type === wanted)?.occurred_at ?? "");
  expect(await at(waiting.run_id, "run.started")).toBeGreaterThanOrEqual(await at(survivor, "run.cancelled"));
});

describe("requests that conflict", TIMEOUT, () => {
  it("are refused with the reason, and change nothing", async () => {
    const { post, ask, get, ended, workspace, log } = await serveTasks();
    const spec = { kind: "shell", command: "sleep 30", workspace: { path: workspace }, start: true };
    const { task_id, latest_run_id: run_id } = (await post("/v1/tasks", spec)).body.data;
    expect(await post(`/v1/tasks/${task_id}/start`)).toMatchObject({
      status: 409,
      body: { error: { code: "run_active", conflict: { run_id } } },
    });
    expect(await ask("DELETE", `/v1/tasks/${task_id}`)).toMatchObject({
      status: 409,
      body: { error: { code: "run_active" } },
    });
    expect(await post(`/v1/runs/${run_id}/retry`)).toMatchObject({
      status: 409,
      body: { error: { code: "run_active" } },
    });
    const other = await post("/v1/tasks", {
      kind: "shell",
      command: "true",
      workspace: { path: workspace },
      start: true,
    });
    expect(other).toMatchObject({ status: 409, body: { error: { code: "workspace_busy", conflict: { run_id } } } });
    expect((await get("/v1/tasks")).body.data).toHaveLength(1);
    await log.rows.write([
      {
        do: "insert",
        table: "commands",
        row: {
          command_id: "cmd_1",
          run_id,
          kind: "cancel",
          by: "ann",
          body: JSON.stringify({ reason: "enough" }),
          created_at: Date.now(),
        },
      },
    ]);
    await ended(run_id);
    expect(await ask("DELETE", `/v1/tasks/${task_id}`)).toMatchObject({
      status: 200,
      body: { object: "task.deleted" },
    });
    expect(await get(`/v1/tasks/${task_id}`)).toMatchObject({ status: 404 });
    expect(await post(`/v1/tasks/${task_id}/start`)).toMatchObject({ status: 404 });
    expect(await get(`/v1/runs/${run_id}`)).toMatchObject({ status: 200, body: { data: { status: "cancelled" } } });
  });

  it("under one Idempotency-Key make one thing, and another body is refused", async () => {
    const { post, ended, get, workspace } = await serveTasks();
    const key = { "idempotency-key": "one" };
    const spec = { kind: "shell", command: "true", workspace: { path: workspace } };
    const answers = await Promise.all(Array.from({ length: 8 }, () => post("/v1/tasks", spec, key)));
    const ids = new Set(answers.map(({ body }) => body.data.task_id));
    expect([ids.size, new Set(answers.map(({ status }) => status))]).toEqual([1, new Set([201])]);
    expect(await post("/v1/tasks", { ...spec, command: "false" }, key)).toMatchObject({
      status: 422,
      body: { error: { code: "key_reused" } },
    });
    const [task_id] = ids;
    const started = await post(`/v1/tasks/${task_id}/start`, undefined, { "idempotency-key": "two" });
    await ended(started.body.data.run_id);
    const again = await post(`/v1/tasks/${task_id}/start`, undefined, { "idempotency-key": "two" });
    expect(again).toMatchObject({
      status: 201,
      body: { data: { run_id: started.body.data.run_id, status: "completed" } },
    });
    expect(await post(`/v1/runs/${started.body.data.run_id}/retry`, {}, { "idempotency-key": "two" })).toMatchObject({
      status: 422,
    });
    expect((await get("/v1/tasks")).body.data).toMatchObject([{ run_count: 1 }]);
  });

  it.each([
    [{}, "agent is missing"],
    [{ agent: "claude" }, "prompt is missing"],
    [{ kind: "agent_loop", prompt: [" ", ""] }, "The prompt is empty"],
    [{ kind: "cook" }, "kind must be one of agent"],
    [{ kind: "shell", command: "true", prompt: "x" }, "prompt does not apply to a task of kind shell"],
    [{ kind: "shell", command: "true", colour: "red" }, "colour is not known"],
    [{ kind: "git", command: "status" }, "command must be a list of arguments"],
    [{ kind: "file", operation: "write", path: "../x", content: "" }, "stay inside it"],
    [{ kind: "file", operation: "write", path: "x" }, "content is missing"],
    [{ kind: "shell", command: "true", priority: 1.5 }, "priority must be a whole number"],
    [{ kind: "shell", command: "true", env: { API_TOKEN: "abcdefgh12345678" } }, "Write $NAME instead"],
    [
      { kind: "shell", command: "true", workspace: { path: "/no/such/folder" }, start: true },
      "must be a folder that exists",
    ],
    [
      { agent: "claude", prompt: "x", policy: ["ask shell rm **", "frob shell ls"] },
      'policy:2: "frob" is not an action',
    ],
    [{ agent: "claude", prompt: "x", policy: ["ask"], start: true }, "policy:1: "],
    [{ kind: "agent_loop", prompt: "x", start: true }, "not performed here"],
    [{ agent: "nobody", prompt: "x", start: true }, "nobody"],
    [{ agent: "claude", prompt: "x", thinking_effort: "much" }, 'thinking_effort must be one of "low"'],
  ])("with the body %j are invalid", async (body, message) => {
    const { post, get } = await serveTasks();
    const answer = await post("/v1/tasks", body);
    expect(answer.status).toBe(422);
    expect(answer.body.error.message).toContain(message);
    expect((await get("/v1/tasks")).body.data).toEqual([]);
  });
});

/** Waits until the task has no active run. */
async function untilSettled(log: Awaited<ReturnType<typeof serveTasks>>["log"], task_id: string): Promise<void> {
  while ((await log.rows.find("tasks", task_id))?.active_run_id != null)
    await new Promise((resolve) => setTimeout(resolve, 10));
}
