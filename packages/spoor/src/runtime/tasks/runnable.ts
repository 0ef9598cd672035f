import { SpoorError, ValidationError } from "../../failures/errors.ts";
import type { StoredRun } from "../../log/records.ts";
import { executableKinds } from "../queue/executors.ts";
import { agentOptionsOf } from "../specification/agent-options.ts";
import type { TaskSpec } from "../specification/spec.ts";
import type { TaskContext } from "./context.ts";
import type { Place } from "./place.ts";
import { TaskError } from "./task-error.ts";

/** Throws if a run can already be seen not to start: nothing performs its kind, or its agent does not take its options. */
export async function requireRunnable(
  { canExecute, kinds = [] }: TaskContext,
  spec: TaskSpec,
  place: Place,
  prior?: StoredRun,
): Promise<void> {
  const offered = kinds.find(({ kind }) => kind === spec.kind);
  if (!(canExecute?.(spec.kind) ?? (offered !== undefined || executableKinds.includes(spec.kind)))) {
    const message = `Tasks of kind ${spec.kind} are not performed here. Use the kind agent instead.`;
    throw new TaskError("not_available", message);
  }
  await offered?.requireRunnable?.(spec);
  if (spec.kind !== "agent") return;
  // Loaded only when needed: most routes never start an agent.
  const [{ createRunner }, { findAdapter }] = await Promise.all([
    import("../../run/runner.ts"),
    import("../specification/find-adapter.ts"),
  ]);
  try {
    const adapter = await findAdapter(spec.agent ?? "");
    // A worktree or clone does not exist yet; the folder it is made from does.
    const cwd =
      place.mode === "in_place" ? place.path : (spec.workspace?.repo ?? spec.workspace?.path ?? process.cwd());
    createRunner([adapter]).prepare({ ...agentOptionsOf(spec, process.env, prior), agent: adapter.name, cwd });
  } catch (error) {
    if (error instanceof ValidationError) throw new TaskError("invalid", error.message, undefined, { cause: error });
    if (error instanceof SpoorError)
      throw new TaskError(codes[error.code] ?? "invalid", error.message, undefined, { cause: error });
    throw error;
  }
}

const codes: Partial<Record<SpoorError["code"], TaskError["code"]>> = {
  CAPABILITY_ERROR: "not_supported",
  AGENT_NOT_INSTALLED: "not_available",
  AUTH_ERROR: "model_not_configured",
};
