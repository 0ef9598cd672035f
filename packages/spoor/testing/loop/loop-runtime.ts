import type { Log } from "../../src/log/log.ts";
import type { Row } from "../../src/log/tables.ts";
import { createLoopExecutor, type LoopOptions } from "../../src/loop/executor.ts";
import type { LoopModel } from "../../src/loop/providers/provider.ts";
import type { Executor } from "../../src/runtime/queue/executor.ts";
import type { TaskSpec } from "../../src/runtime/specification/spec.ts";
import { createAndStart } from "../../src/runtime/tasks/start.ts";
import { taskRuntime } from "../runtime/task-runtime.ts";
import { envelopesOf } from "../runtime/temporary-log.ts";
import { testTools } from "./test-tools.ts";

/** The real loop with this model and the tools of the tests. */
export const scriptedExecutor = (model: LoopModel, more: LoopOptions = {}): Executor =>
  createLoopExecutor({
    environment: { HOME: "/nonexistent", SPOOR_HOME: "/nonexistent" },
    findModel: async () => model,
    tools: () => testTools,
    // One dollar for a million tokens.
    loadPrices:
      async () =>
      (_, { inputTokens, outputTokens }) =>
        (inputTokens + outputTokens) / 1e6,
    backoffMs: () => 1,
    openSandbox: async () => ({ layer: "none", asks: false, wrap: refuse, close() {} }),
    ...more,
  });

/** A runtime whose tasks of kind `agent_loop` are performed by the real loop with this model. */
export function loopRuntime(model: LoopModel, more: LoopOptions = {}) {
  const executor = scriptedExecutor(model, more);
  const runtime = taskRuntime(new Map([["agent_loop", executor]]));
  const start = (prompt: string, spec: Partial<TaskSpec> = {}) =>
    createAndStart(runtime.context, {
      ...{ kind: "agent_loop", prompt, model: model.name, workspace: { path: runtime.workspace } },
      ...spec,
    });
  const typesOf = async (run_id: string) => (await envelopesOf(runtime.log, run_id)).map(({ type }) => type);
  return { ...runtime, executor, start, typesOf };
}

/** The types that the reference orders: without steps and deltas. */
export const shortTypes = (types: readonly string[]): string[] =>
  types.filter(
    (type) => !/step_(started|completed)|_delta$|^assistant\.(message|tool_call)_started|token_usage/.test(type),
  );

/** The approvals of a run, the oldest first. */
export const approvalsOf = async (log: Log, run_id: string): Promise<Row<"approvals">[]> =>
  (await log.rows.list("approvals", { where: { run_id }, order: "requested_at" })).rows;

/** Waits until an event of this type is stored. */
export async function untilTypes(log: Log, run_id: string, type: string): Promise<void> {
  while (!(await envelopesOf(log, run_id)).some((envelope) => envelope.type === type)) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const refuse = (): never => {
  throw new Error("The tools of these tests use no sandbox.");
};
