import { readEnvelopes } from "../../log/envelopes.ts";
import type { Log } from "../../log/log.ts";
import type { StoredRun } from "../../log/records.ts";
import type { TaskSpec } from "../specification/spec.ts";
import { specOf } from "../specification/spec-of.ts";
import { TaskError } from "./task-error.ts";

/**
 * What a run was asked to do, without what it continued. For a run that was only recorded, such as one of `spoor run`, it is
 * made from its events: agent and its program, prompt, model and directory.
 */
export async function derivedSpecOf(log: Log, run: StoredRun): Promise<TaskSpec> {
  const created = await creationOf(log, run);
  // Its task may have got a specification since, from a run that continued it and was asked something else.
  const isOnlyRecorded = created !== undefined && created.spec === undefined;
  const stored = isOnlyRecorded ? undefined : await specOf(log, run);
  if (stored) {
    const { continues: _, ...spec } = stored;
    return spec;
  }
  if (run.parent_run_id !== undefined)
    throw new TaskError(
      "not_supported",
      `${run.run_id} is the run of a subagent. Retry the run it belongs to: ${run.parent_run_id}.`,
    );
  const prompt = await promptOf(log, run);
  const agent_command = commandOf(run, created);
  const { agent, model, workspace_path } = run;
  return {
    kind: "agent",
    agent,
    prompt,
    ...(agent_command && { agent_command }),
    ...(model !== undefined && { model }),
    ...(workspace_path !== undefined && { workspace: { mode: "in_place", path: workspace_path } }),
  };
}

type Data = Readonly<Record<string, unknown>>;

/** What the first event of a run says; undefined if it was pruned. */
async function creationOf(log: Log, { run_id }: StoredRun): Promise<Data | undefined> {
  for await (const { data } of readEnvelopes(log, { run_id, match: isCreation })) return data as Data;
  return undefined;
}

/** The program that was named for the agent; undefined if it was the one on the PATH. */
function commandOf({ run_id }: StoredRun, created: Data = {}): string[] | undefined {
  const { agent_command, redacted_paths } = created;
  if (!Array.isArray(agent_command)) return undefined;
  const isRedacted = Array.isArray(redacted_paths) && redacted_paths.some((path) => /^agent_command\b/.test(path));
  if (!isRedacted) return agent_command as string[];
  const message = `The command of ${run_id} held a secret, which was not recorded. Start a new run with --command.`;
  throw new TaskError("not_supported", message);
}

const isCreation = (type: string): boolean => type === "run.created";

async function promptOf(log: Log, { run_id }: StoredRun): Promise<string> {
  for await (const { data } of readEnvelopes(log, { run_id, match: isMessage })) {
    if (data.via !== "prompt" || typeof data.text !== "string") continue;
    if (data.redacted_paths === undefined) return data.text;
    const message = `The prompt of ${run_id} held a secret, which was not recorded. Start a new run with the prompt.`;
    throw new TaskError("not_supported", message);
  }
  throw new TaskError("not_supported", `The prompt of ${run_id} is not recorded, so the run cannot be repeated.`);
}

const isMessage = (type: string): boolean => type === "user.message";
