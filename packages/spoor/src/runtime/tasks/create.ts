import { createUlidSource, prefixed } from "@spoor/protocol/ids";
import type { Effect } from "../../log/effects.ts";
import { type TaskSpec, titleOf } from "../specification/spec.ts";
import type { TaskContext } from "./context.ts";
import { readTask } from "./read-task.ts";
import { type KeyedRequest, once } from "./requests.ts";

/**
 * Creates a task. Nothing runs before it is started. Returns its id: that of the first request with the same key.
 *
 * @throws {ValidationError} if the specification is wrong.
 * @example
 * const tasks = { log, directory: "./runs", by: "nightly" };
 * const task_id = await createTask(tasks, { kind: "agent", agent: "claude", prompt: "Fix the failing test." });
 * const { run_id: first } = await startTask(tasks, task_id);
 */
export async function createTask({ log }: TaskContext, given: TaskSpec, request?: KeyedRequest): Promise<string> {
  const spec = readTask(given);
  const task_id = prefixed("task", newUlid());
  const { made } = await once(log, request, async (keyed) => {
    await log.rows.write([taskEffect(task_id, spec, Date.now()), ...keyed({ task_id })]);
    return { task_id };
  });
  return made.task_id;
}

/** The row of a new task. */
export function taskEffect(task_id: string, spec: TaskSpec, at: number): Effect<"tasks"> {
  const title = titleOf(spec);
  return {
    do: "insert",
    table: "tasks",
    row: {
      task_id,
      created_at: at,
      updated_at: at,
      kind: spec.kind,
      spec: JSON.stringify(spec),
      priority: spec.priority ?? 0,
      ...(title !== undefined && { title }),
    },
  };
}

const newUlid = createUlidSource();
