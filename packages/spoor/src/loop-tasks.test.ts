import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { needsBubblewrap } from "../testing/loop/held-commands.ts";
import { envelopesOf } from "../testing/runtime/temporary-log.ts";
import { serveTasks } from "../testing/server/task-server.ts";

const kinds = async () => {
  const { createLoopKind } = await import("./loop/loop-kind.ts");
  const { createLoopExecutor } = await import("./loop/executor.ts");
  return [createLoopKind({ load: async () => createLoopExecutor() })];
};

const task = { kind: "agent_loop", prompt: "Write a greeting.", model: "demo/tour", sandbox: "none", start: true };

test("a task of our loop runs over HTTP, waits for its approvals, and is continued in a new run", async () => {
  const server = await serveTasks({ kinds: await kinds() });
  const workspace = { mode: "in_place", path: server.workspace };
  const { status, body } = await server.post("/v1/tasks", { ...task, workspace });
  expect(status).toBe(201);
  const run_id = body.data.latest_run_id;
  const run = async () => (await server.get(`/v1/runs/${run_id}`)).body.data;
  const approve = async (): Promise<void> => {
    const { rows } = await server.log.rows.list("approvals", { where: { run_id, status: "pending" } });
    for (const { approval_id } of rows)
      await server.post(`/v1/approvals/${approval_id}/resolve`, { decision: "approve" });
  };
  await vi.waitFor(
    async () => {
      await approve();
      expect(await run()).toMatchObject({ status: "completed", agent: "loop", executor: "worker" });
    },
    { timeout: 30_000, interval: 50 },
  );
  expect(existsSync(path.join(server.workspace, "greet.sh"))).toBe(true);
  const types = await server.types(run_id);
  expect(types.filter((type) => type === "approval.resolved").length).toBeGreaterThan(2);
  const next = await server.post(`/v1/runs/${run_id}/continue`, { prompt: "And now?" });
  expect(next.status).toBe(201);
  await server.ended(next.body.data.run_id);
  expect(await server.types(next.body.data.run_id)).toContain("session.resumed");
  expect(await server.findings(run_id, next.body.data.run_id)).toEqual([]);
  const forked = await server.post(`/v1/runs/${run_id}/fork`, { prompt: "Another way." });
  expect(forked.body.data.task_id).not.toBe(body.data.task_id);
  expect((await server.ended(forked.body.data.run_id)).status).toBe("completed");
}, 60_000);

describe("where bubblewrap works", () => {
  needsBubblewrap();

  test("a task over HTTP says which sandbox holds its commands", async () => {
    const server = await serveTasks({ kinds: await kinds() });
    const workspace = { mode: "in_place", path: server.workspace };
    const { body } = await server.post("/v1/tasks", { ...task, sandbox: "bwrap", approve: "auto", workspace });
    const run_id = body.data.latest_run_id;
    expect((await server.ended(run_id)).status).toBe("completed");
    const envelopes = await envelopesOf(server.log, run_id);
    const layers = envelopes.filter(({ type }) => type === "tool.shell.command").map(({ data }) => data.sandbox_layer);
    expect(layers).toEqual(["bwrap", "bwrap"]);
    const started = envelopes.filter(({ data }) => data["hecate.sandbox.wrapper.kind"] === "bwrap");
    expect(started.map(({ data }) => data["hecate.sandbox.network.enabled"])).toEqual(started.map(() => false));
    expect(started.length).toBeGreaterThan(1);
    const wrong = await server.post("/v1/tasks", { ...task, sandbox: "docker" });
    expect([wrong.status, wrong.body.error.message]).toEqual([422, expect.stringContaining("sandbox must be one of")]);
  }, 60_000);
});

test("a task whose model has no key is refused with the variable to set, and nothing is queued", async () => {
  const server = await serveTasks({ kinds: await kinds() });
  vi.stubEnv("ANTHROPIC_API_KEY", "");
  vi.stubEnv("ANTHROPIC_AUTH_TOKEN", "");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { status, body } = await server.post("/v1/tasks", { ...task, model: "anthropic/claude-sonnet-4-5" });
  expect([status, body.error.code]).toEqual([422, "model_not_configured"]);
  expect(body.error.message).toContain("Set ANTHROPIC_API_KEY");
  const { body: made } = await server.post("/v1/tasks", {
    ...task,
    model: "anthropic/claude-sonnet-4-5",
    start: false,
  });
  const started = await server.post(`/v1/tasks/${made.data.task_id}/start`);
  expect([started.status, started.body.error.code]).toEqual([422, "model_not_configured"]);
  expect((await server.post("/v1/tasks", { ...task, model: undefined })).body.error.message).toContain(
    "model is missing",
  );
  expect((await server.log.rows.list("queue", {})).rows).toEqual([]);
});

test("the list of agents names our loop, its providers and whose keys are set, but no key", async () => {
  vi.stubEnv("GROQ_API_KEY", "gsk_a-key-that-must-not-be-shown");
  onTestFinished(() => void vi.unstubAllEnvs());
  const server = await serveTasks({ kinds: await kinds(), workers: 0 });
  const { body } = await server.get("/v1/agents");
  const found = (body.data as unknown as { agent: string; installed: boolean; providers: object[] }[]).find(
    ({ agent }) => agent === "loop",
  );
  expect(found).toMatchObject({ installed: true });
  expect(found?.providers).toContainEqual(
    expect.objectContaining({ name: "groq", key: "GROQ_API_KEY", is_configured: true }),
  );
  expect(JSON.stringify(found)).not.toContain("must-not-be-shown");
});
