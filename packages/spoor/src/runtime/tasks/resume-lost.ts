import { specOf } from "../specification/spec-of.ts";
import type { TaskContext } from "./context.ts";
import { followUp } from "./start.ts";
import { TaskError } from "./task-error.ts";

/**
 * Goes on with a run whose process was lost, if its task asks for that (`recover: "resume"`) and its agent has a session. A run
 * that was itself made this way is not resumed again.
 */
export async function resumeLostRun(context: TaskContext, run_id: string): Promise<void> {
  const run = await context.log.run(run_id);
  const spec = run && (await specOf(context.log, run));
  if (spec?.recover !== "resume" || spec.continues?.mode === "resume") return;
  try {
    await followUp(context, "resume", run_id, { reason: "The process of the run was lost." });
  } catch (error) {
    // The agent cannot resume, or somebody has started the task meanwhile.
    if (!(error instanceof TaskError)) throw error;
  }
}
