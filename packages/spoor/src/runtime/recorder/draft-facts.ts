import type { Outcome } from "@spoor/protocol/write";
import type { LogDraft } from "../../log/log.ts";
import type { RunStatus } from "../../log/records.ts";

/** The status of a run after its terminal event. */
export const statusAfter: Record<Outcome["type"], RunStatus> = {
  "run.finished": "completed",
  "run.failed": "failed",
  "run.cancelled": "cancelled",
};

/** Names the rule that allowed or blocked a call in the event that tells of it. */
export function withPolicy(draft: LogDraft, policies: ReadonlyMap<string, string>): LogDraft {
  if (draft.type !== "tool.started" && draft.type !== "policy.tool_blocked") return draft;
  const data = JSON.parse(draft.json);
  const policy_id = policies.get(data.tool_call_id);
  return policy_id === undefined ? draft : { ...draft, json: JSON.stringify({ ...data, policy_id }) };
}
