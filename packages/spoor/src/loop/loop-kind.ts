import { SpoorError, ValidationError } from "../failures/errors.ts";
import type { Executor, OfferedKind } from "../runtime/queue/executor.ts";
import type { TaskSpec } from "../runtime/specification/spec.ts";
import { TaskError } from "../runtime/tasks/task-error.ts";

/** What a loop needs that is not its default. */
export interface LoopKindOptions {
  /** Loads what performs the runs. */
  load(): Promise<Executor>;
  /** The environment that holds the keys. Default: that of this process. */
  environment?: NodeJS.ProcessEnv;
}

/** Offers our own loop to the runtime. Nothing of it is loaded before a task needs it. */
export function createLoopKind({ load, environment = process.env }: LoopKindOptions): OfferedKind {
  let loading: Promise<Executor> | undefined;
  const executor = () => {
    loading ??= load();
    return loading;
  };
  return {
    kind: "agent_loop",
    executor: { name: "worker", execute: async (execution) => (await executor()).execute(execution) },
    requireRunnable: (spec) => requireModelOf(spec, environment),
    sweep: async (directory) => (await import("./sandbox/placeholders.ts")).sweepPlaceholders(directory),
    describe: async () => (await import("./describe.ts")).describeLoop(environment),
    demo: async () => (await import("./demo-task.ts")).prepareDemo(),
  };
}

/** A task of the loop names a model whose provider has its key here. */
async function requireModelOf({ model }: TaskSpec, environment: NodeJS.ProcessEnv): Promise<void> {
  const { checkLoopModel } = await import("./check-model.ts");
  try {
    checkLoopModel(model, environment);
  } catch (cause) {
    if (!(cause instanceof SpoorError)) throw cause;
    const code = cause instanceof ValidationError ? "invalid" : "model_not_configured";
    throw new TaskError(code, cause.message, undefined, { cause });
  }
}

/**
 * Our own agent loop, for servers and workers of a program.
 *
 * @example
 * const server = await serve({ directory: "./runs", workers: 4, kinds: [loop] });
 * const worker = new Worker({ log, directory: "./runs", concurrency: 4, kinds: [loop] });
 */
export const loop: OfferedKind = createLoopKind({
  load: async () => (await import("./executor.ts")).createLoopExecutor(),
});
