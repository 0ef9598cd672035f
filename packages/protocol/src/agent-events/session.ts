import { Count, Flag, Key, oneOf, optional, type Static, Ulid } from "../schema.ts";
import { agentEvent } from "./base.ts";
import { CostRecord } from "./cost-record.ts";

const sessionId = Key(
  "The agent's own session id; `transient-…` when the run keeps no session or the id is not known.",
);

export const SessionStartEvent = agentEvent("session_start", "Opens every run. Only debug and log may precede it.", {
  sessionId,
  resumed: Flag("Whether the session existed before this run."),
  forkedFrom: optional(Key("The session this one was forked from.")),
  parentRunId: optional(Ulid("The parent run, if this run is a subagent's.")),
  approvalMode: optional(oneOf(["ask", "auto", "deny"], "What happens to actions that need permission, when known.")),
  agentVersion: optional(Key("The version of the agent, if it reports one.")),
});
export type SessionStartEvent = Static<typeof SessionStartEvent>;

export const SessionResumeEvent = agentEvent("session_resume", "An existing session was resumed.", {
  sessionId,
  priorTurnCount: Count("Number of turns in the session before this run."),
});
export type SessionResumeEvent = Static<typeof SessionResumeEvent>;

export const SessionForkEvent = agentEvent("session_fork", "The session was made by forking another.", {
  sessionId,
  forkedFrom: Key("The session that was forked."),
});
export type SessionForkEvent = Static<typeof SessionForkEvent>;

export const SessionCheckpointEvent = agentEvent("session_checkpoint", "The agent saved a point it can return to.", {
  sessionId,
  checkpointId: Key("The agent's own checkpoint id."),
});
export type SessionCheckpointEvent = Static<typeof SessionCheckpointEvent>;

export const SessionEndEvent = agentEvent("session_end", "Closes every run. Only debug and log may follow it.", {
  sessionId,
  turnCount: Count("Number of turns in the session so far, including those before this run."),
  cost: optional(CostRecord),
});
export type SessionEndEvent = Static<typeof SessionEndEvent>;
