import { findTask } from "../history/find-run.ts";
import { type DataOption, withLog } from "../history/with-log.ts";

/** The options of a run with whole ids in place of the parts that were typed. */
export async function withFullIds<Options extends TypedIds>(agent: string, options: Options): Promise<Options> {
  const { task, resume, fork, data } = options;
  return {
    ...options,
    ...(task !== undefined && { task: await wholeTaskId(task, { ...(data !== undefined && { data }) }) }),
    ...(typeof resume === "string" && { resume: await wholeSessionId(agent, resume) }),
    ...(typeof fork === "string" && { fork: await wholeSessionId(agent, fork) }),
  };
}

interface TypedIds extends DataOption {
  task?: string;
  resume?: string;
  fork?: string | true;
}

/** The whole id of the task a person means; a whole one is taken as it is, for it may be of a task to come. */
async function wholeTaskId(said: string, data: DataOption): Promise<string> {
  if (/^task_[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(said)) return said;
  return withLog(data, async (log) => (await findTask(log, said)).task_id);
}

/**
 * The agent's own id of the session a person means. What fits no session that we can read goes to the agent as it is:
 * some keep theirs where we cannot look.
 */
async function wholeSessionId(agent: string, said: string): Promise<string> {
  if (UUID.test(said)) return said;
  const [{ adapters }, { createSessions }, { SpoorError }] = await Promise.all([
    import("../../agents/registry.ts"),
    import("../../inventory/sessions/sessions.ts"),
    import("../../failures/errors.ts"),
  ]);
  const adapter = adapters.find(({ name }) => name === agent);
  if (!adapter?.about?.sessions || !adapter.sessions) return said;
  const named = said.startsWith(`${agent}:`) ? said : `${agent}:${said}`;
  try {
    return (await createSessions({ adapters }).find(named)).nativeId;
  } catch (error) {
    // What is ambiguous is for the person to decide, and so is "last" where there is none.
    if (error instanceof SpoorError && error.code !== "VALIDATION_ERROR" && said !== "last") return said;
    throw error;
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
