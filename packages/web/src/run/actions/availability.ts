import type { AgentControls } from "@spoor/protocol/client";
import type { RunSnapshot } from "../../live/run-snapshot.ts";

/** What a person can do with a run. */
export type ActionId =
  | "interrupt"
  | "cancel"
  | "pause"
  | "unpause"
  | "send"
  | "continue"
  | "resume"
  | "retry"
  | "retryFromTurn"
  | "fork";

/** What decides whether an action is possible. */
export interface ActionFacts {
  /** The page shows the run as it was at an earlier time. */
  readonly isPast: boolean;
  readonly isOver: boolean;
  readonly isPaused: boolean;
  /** It waits in the queue, or for permission to start. */
  readonly isQueued: boolean;
  readonly isCancelling: boolean;
  readonly isSubagent: boolean;
  readonly kind: string;
  readonly agent: string;
  /** Whether the agent kept a session that can be continued. */
  readonly hasSession: boolean;
  /** Absent while it is not known what the agent can do. */
  readonly controls?: AgentControls | undefined;
}

export function factsOf({ record, view, replay }: RunSnapshot, controls: AgentControls | undefined): ActionFacts {
  const isOver = view.end !== undefined || record?.ended_at !== undefined;
  return {
    isPast: replay !== undefined,
    isOver,
    isPaused: !isOver && (view.status === "paused" || (view.lastSequence < 0 && record?.paused === true)),
    isQueued: !isOver && (view.status === "created" || view.status === "queued" || view.status === "awaiting_approval"),
    isCancelling: record?.cancelling === true,
    isSubagent: (view.parentRunId ?? record?.parent_run_id) !== undefined,
    kind: view.kind ?? record?.kind ?? "agent",
    agent: view.agent ?? record?.agent ?? "The agent",
    hasSession: (view.nativeSessionId ?? record?.native_session_id) !== undefined,
    controls,
  };
}

/** Why an action is not possible now, in one sentence; nothing if it is possible. */
export function reasonAgainst(action: ActionId, facts: ActionFacts): string | undefined {
  if (facts.isPast) return "This shows the run as it was. Go back to now first.";
  return rules[action](facts);
}

type Rule = (facts: ActionFacts) => string | undefined;

const OVER = "The run is over.";
const GOES_ON = "The run still goes on. Wait for it, or cancel it first.";

/** The first rule that has something to say wins. */
const first =
  (...all: Rule[]): Rule =>
  (facts) => {
    for (const rule of all) {
      const reason = rule(facts);
      if (reason !== undefined) return reason;
    }
    return undefined;
  };

const goesOn: Rule = ({ isOver }) => (isOver ? OVER : undefined);
const isOver: Rule = (facts) => (facts.isOver ? undefined : GOES_ON);
const hasStarted: Rule = ({ isQueued }) => (isQueued ? "The run has not started yet." : undefined);
const isNoSubagent: Rule = ({ isSubagent }) =>
  isSubagent ? "This is the run of a subagent. Do it with the run it belongs to." : undefined;
const isAgent: Rule = ({ kind }) =>
  kind === "agent" || kind === "agent_loop" ? undefined : `A run of kind ${kind} has no conversation.`;
const hasConversation: Rule = ({ kind, hasSession }) =>
  kind === "agent" && !hasSession
    ? "The agent kept no session that can be continued. Retry the run instead."
    : undefined;

const rules: Readonly<Record<ActionId, Rule>> = {
  interrupt: first(
    goesOn,
    hasStarted,
    ({ isPaused }) => (isPaused ? "The run is paused." : undefined),
    ({ controls, agent }) =>
      controls?.can_be_interrupted === false ? `${agent} cannot be interrupted. Cancel ends it.` : undefined,
  ),
  cancel: first(goesOn, ({ isCancelling }) => (isCancelling ? "The run is being cancelled." : undefined)),
  pause: first(
    goesOn,
    hasStarted,
    ({ isPaused }) => (isPaused ? "The run is paused already." : undefined),
    ({ controls, agent }) => (controls?.can_be_paused === false ? `${agent} cannot be paused.` : undefined),
  ),
  unpause: first(goesOn, ({ isPaused }) => (isPaused ? undefined : "The run is not paused.")),
  send: first(goesOn, isAgent, hasStarted, ({ controls, agent }) =>
    controls?.takes_prompts === false
      ? `${agent} takes no prompts while it runs. Send it when the run has ended.`
      : undefined,
  ),
  continue: first(isOver, isAgent, isNoSubagent, hasConversation),
  resume: first(isOver, isAgent, isNoSubagent, hasConversation),
  retry: first(isOver, isNoSubagent),
  retryFromTurn: first(isOver, isAgent, isNoSubagent, ({ kind, agent }) =>
    kind === "agent" ? `${agent} keeps its conversation itself and cannot go back to a turn.` : undefined,
  ),
  fork: first(isAgent, isNoSubagent, hasConversation),
};
