import { onTestFinished, vi } from "vitest";
import { createLoopExecutor } from "../../src/loop/executor.ts";
import { createLoopKind } from "../../src/loop/loop-kind.ts";
import type { ServeOptions } from "../../src/server/serving/serve.ts";
import { serveTasks } from "../server/task-server.ts";
import { type ModelServer, serveModel } from "./model-server.ts";

/** The model of these tests: its provider is the scripted server, and its price is known. */
export const MODEL = "openrouter/openai/gpt-5";

/** Serves tasks of our loop over HTTP, whose model is a scripted server on this machine. */
export async function serveLoop(script: Parameters<typeof serveModel>[0], options: ServeOptions = {}) {
  const model: ModelServer = await serveModel(script);
  for (const [name, value] of Object.entries(model.environment)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const kinds = [createLoopKind({ load: async () => createLoopExecutor() })];
  const server = await serveTasks({ kinds, ...options });
  const { post, get, workspace, log } = server;
  return {
    ...server,
    model,
    /** Creates and starts a task, and returns the id of its run. */
    async start(more: object = {}): Promise<string> {
      const task = {
        kind: "agent_loop",
        prompt: "Do it.",
        model: MODEL,
        sandbox: "none",
        workspace: { path: workspace },
      };
      const { status, body } = await post("/v1/tasks", { ...task, start: true, ...more });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return body.data.latest_run_id;
    },
    run: async (run_id: string) => (await get(`/v1/runs/${run_id}`)).body.data,
    /** Waits until the run is so, as the server tells it. */
    async until(run_id: string, facts: Record<string, unknown>) {
      return vi.waitUntil(
        async () => {
          const run = (await get(`/v1/runs/${run_id}`)).body.data as Record<string, unknown>;
          return Object.entries(facts).every(([name, value]) => run[name] === value) && run;
        },
        { timeout: 20_000, interval: 10 },
      );
    },
    async untilEvent(run_id: string, type: string) {
      return vi.waitUntil(async () => (await server.events(run_id)).find((envelope) => envelope.type === type), {
        timeout: 20_000,
        interval: 10,
      });
    },
    /** The approvals of the run that wait. */
    async pending(run_id: string): Promise<string[]> {
      const { rows } = await log.rows.list("approvals", { where: { run_id, status: "pending" } });
      return rows.map(({ approval_id }) => approval_id);
    },
  };
}
