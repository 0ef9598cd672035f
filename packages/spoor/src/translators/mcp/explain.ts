import { SpoorError, ValidationError } from "../../failures/errors.ts";
import { LogError } from "../../log/errors.ts";
import { ApprovalError } from "../../runtime/approvals/approval-error.ts";
import { ArtifactError } from "../../runtime/artifacts/errors.ts";
import { CommandError } from "../../runtime/commands/command-error.ts";
import { TaskError } from "../../runtime/tasks/task-error.ts";
import { McpRefusal } from "./answers/refusal.ts";

/** What an agent is told of an error that is part of the domain. Undefined for one that should not happen. */
export function explain(error: unknown): { code: string; message: string } | undefined {
  if (error instanceof McpRefusal || error instanceof TaskError) return { code: error.code, message: error.message };
  if (error instanceof ArtifactError)
    return { code: error.code, message: `${error.message} ${artifactHelp[error.code] ?? ""}`.trim() };
  if (error instanceof ApprovalError || error instanceof CommandError) {
    return { code: error.code, message: `${error.message} ${help[error.code] ?? error.hint}` };
  }
  if (error instanceof LogError)
    return { code: error.code, message: `${error.message} ${help[error.code] ?? error.hint}` };
  if (error instanceof ValidationError) return { code: "invalid", message: error.message };
  if (error instanceof SpoorError) return { code: error.code.toLowerCase(), message: error.message };
  return undefined;
}

/** What an agent can do about it. Hints of errors name commands of a terminal, so those for agents are here. */
const help: Readonly<Record<string, string>> = {
  run_not_found: "list_runs lists the runs.",
  run_over: "A run that is over takes no commands. follow_up goes on with its conversation in a new run.",
  not_pending: "list_approvals lists what waits for an answer.",
  paused: "control_run with `unpause` lets the run go on.",
  approval_not_found: "list_approvals lists the open ones.",
  approval_resolved: "The first answer counts. list_approvals with status `all` says who gave it.",
};

const artifactHelp: Readonly<Record<string, string>> = {
  not_found: "list_artifacts lists the artifacts of a run; read_run with types `run.checkpoint_saved` its checkpoints.",
  missing: "It may have been pruned.",
  damaged: "The stored bytes do not match their hash.",
};
