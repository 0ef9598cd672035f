import { prefixed } from "@spoor/protocol/ids";
import { SpoorError } from "../../failures/errors.ts";
import type { Log } from "../../log/log.ts";
import type { StoredRun } from "../../log/records.ts";
import type { RunSetup } from "../../run/run-setup.ts";
import { HEAD_START_MS } from "../../runtime/lease-times.ts";
import type { TaskSpec } from "../../runtime/specification/spec.ts";
import type { TaskContext } from "../../runtime/tasks/context.ts";
import { createAndStart, followUp } from "../../runtime/tasks/start.ts";
import { specFromSetup } from "./spec-from-setup.ts";

/** Makes the task and the run that a caller asks for. A run that goes on with a session belongs to the task of that session. */
export async function makeLoopRun(context: TaskContext, setup: RunSetup, more?: Partial<TaskSpec>): Promise<StoredRun> {
  const { runId, request } = setup;
  const spec = specFromSetup(setup, more);
  const options = { run_id: prefixed("run", runId), headStartMs: HEAD_START_MS };
  const session = request.resume ?? request.fork;
  if (session === undefined) return createAndStart(context, spec, options);
  const prior = await lastRunOf(context.log, session);
  const way = request.fork === undefined ? "continue" : "fork";
  const prompt = [spec.prompt ?? []].flat().join("\n\n");
  return followUp(context, way, prior.run_id, { ...options, prompt, changes: spec });
}

/** A run, or the newest run of a session. */
async function lastRunOf(log: Log, session: string): Promise<StoredRun> {
  const named = await log.run(session);
  if (named) return named;
  const { runs } = await log.runs({ native_session_id: session, agent: "loop", limit: 1 });
  if (runs[0]) return runs[0];
  throw new SpoorError(
    "SESSION_NOT_FOUND",
    `The loop has no session ${session} in this log. \`spoor ls\` lists its runs.`,
  );
}
