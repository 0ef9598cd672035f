import type { StoredRun } from "../../log/records.ts";
import type { RecorderLog } from "./recorder-log.ts";

/** Finds the newest run of an agent's own session. Runs of subagents and renormalized runs do not count. */
export async function findRunOfSession(
  log: RecorderLog,
  agent: string,
  native: string,
): Promise<StoredRun | undefined> {
  const { runs } = await log.runs({ agent, native_session_id: native, hide_renormalized: true });
  return runs.find(({ parent_run_id }) => parent_run_id === undefined);
}
