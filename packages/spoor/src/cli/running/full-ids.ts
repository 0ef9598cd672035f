import { findTask } from "../history/find-run.ts";
import { type DataOption, withLog } from "../history/with-log.ts";

/** Replaces the parts of ids that were typed by the full ids. */
export async function withFullIds<Options extends TypedIds>(agent: string, options: Options): Promise<Options> {
  const { task, resume, fork, data } = options;
  return {
    ...options,
    ...(task !== undefined && { task: await fullTaskId(task, { ...(data !== undefined && { data }) }) }),
    ...(typeof resume === "string" && { resume: await fullSessionId(agent, resume) }),
    ...(typeof fork === "string" && { fork: await fullSessionId(agent, fork) }),
  };
}

interface TypedIds extends DataOption {
  task?: string;
  resume?: string;
  fork?: string | true;
}

/** Returns the full id of a task. A full id is returned unchanged, because the task may not exist yet. */
async function fullTaskId(typed: string, data: DataOption): Promise<string> {
  if (/^task_[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(typed)) return typed;
  return withLog(data, async (log) => (await findTask(log, typed)).task_id);
}

/**
 * Returns the agent's own id of a session. A name that matches no session that Spoor can read is passed to the agent
 * unchanged, because some agents keep sessions where Spoor cannot read them.
 */
async function fullSessionId(agent: string, typed: string): Promise<string> {
  if (UUID.test(typed)) return typed;
  const [{ adapters }, { createSessions }, { SpoorError }] = await Promise.all([
    import("../../agents/registry.ts"),
    import("../../inventory/sessions/sessions.ts"),
    import("../../failures/errors.ts"),
  ]);
  const adapter = adapters.find(({ name }) => name === agent);
  if (!adapter?.about?.sessions || !adapter.sessions) return typed;
  const named = typed.startsWith(`${agent}:`) ? typed : `${agent}:${typed}`;
  try {
    return (await createSessions({ adapters }).find(named)).nativeId;
  } catch (error) {
    // An ambiguous name, and `last` without any session, are errors of the user.
    if (error instanceof SpoorError && error.code !== "VALIDATION_ERROR" && typed !== "last") return typed;
    throw error;
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
