import { appendOf } from "../commit.ts";
import type { Successor } from "../recovery/end-run.ts";
import { specOf } from "../specification/spec-of.ts";
import { holdEffects, WorkspaceError } from "../workspace/index.ts";
import type { TaskContext } from "./context.ts";
import { planRun } from "./new-run.ts";
import { planFollowUp } from "./start.ts";
import { TaskError } from "./task-error.ts";

/**
 * Goes on with a run whose process was lost, if its task asks for that (`recover: "resume"`) and its agent has a session. A run
 * that was itself made this way is not resumed again. The new run is queued in the commit that ends the lost one.
 */
export const resumeLost =
  (context: TaskContext): Successor =>
  async (lost) => {
    const spec = await specOf(context.log, lost);
    if (spec?.recover !== "resume" || spec.continues?.mode === "resume") return undefined;
    try {
      const reason = "The process of the run was lost.";
      const { isNewTask: _, ...wanted } = await planFollowUp(context, "resume", lost, { reason });
      const { hold, commit } = await planRun(context, wanted);
      return appendOf(commit(await holdEffects(context.log.rows, { ...hold, after: lost.run_id })));
    } catch (error) {
      // The agent cannot resume, or another run works in the folder.
      if (error instanceof TaskError || error instanceof WorkspaceError) return undefined;
      throw error;
    }
  };
