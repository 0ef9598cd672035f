import { Count, Flag, Key, oneOf, optional, Text } from "../schema.ts";
import { dotted } from "./define.ts";
import { costFields } from "./money.ts";

const native_session_id = Key("The agent's own session id; `session_id` on the envelope is ours.");

export const sessionDefinitions = [
  dotted("session.started", "additive", "The agent has started. This is the first event from the agent in every run.", {
    native_session_id,
    resumed: Flag("Whether the session existed before this run."),
    forked_from: optional(Key("The session it was forked from.")),
    parent_run_id: optional(Text("The parent run, if this run is a subagent's.")),
    approval_mode: optional(oneOf(["ask", "auto", "deny"], "What happens to actions that need permission, if known.")),
    agent_version: optional(Key("The version of the agent, if it reports one.")),
  }),
  dotted("session.resumed", "additive", "An existing session was resumed.", {
    native_session_id,
    prior_turn_count: Count("Number of turns in the session before this run."),
  }),
  dotted("session.forked", "additive", "The session is a fork of another session.", {
    native_session_id,
    forked_from: Key("The session that was forked."),
  }),
  dotted("session.checkpoint_saved", "additive", "The agent saved a checkpoint.", {
    native_session_id,
    checkpoint_id: Key("The agent's own checkpoint id."),
  }),
  dotted("session.ended", "additive", "The agent has ended. This is the last event from the agent in every run.", {
    native_session_id,
    turn_count: Count("Number of turns in the session so far, including those before this run."),
    ...costFields,
  }),
] as const;
