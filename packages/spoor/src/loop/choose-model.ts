import type { Envelope } from "@spoor/protocol";
import type { RewrittenModel } from "../run/govern.ts";
import { governModel } from "../runtime/execution/govern.ts";
import type { Execution } from "../runtime/queue/executor.ts";

/** The name of the model that a run uses, and what is told about it. */
export interface ChosenModel {
  name: string;
  /** Set if a rule replaced the model and that is not told yet. */
  rewrite?: RewrittenModel;
}

/**
 * Chooses the model of a run by the rules as they are now. A model that a rule asks about was allowed before the run was queued.
 *
 * @throws {ValidationError} if a rule blocks the model.
 */
export function chooseModel(
  { directory, claim, spec }: Execution,
  cwd: string,
  stored: readonly Envelope[],
): ChosenModel {
  const { model = "", policy: task, approve } = spec;
  const yolo = approve === "auto" || approve === "yolo";
  const options = { directory, isModelAllowed: true, ...(task && { task }) };
  const { model: name, rewrite } = governModel({ model, agent: claim.run.agent, cwd, yolo }, options);
  const told = stored.findLast(({ type }) => type === "policy.model_rewrote")?.data.to_model;
  return { name, ...(rewrite && told !== name && { rewrite }) };
}
