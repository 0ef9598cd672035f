import { Count, Flag, Key, oneOf, optional, Text } from "../schema.ts";
import { dotted } from "./define.ts";
import { costFields } from "./money.ts";

const native_session_id = Key("The agent's own session id; `session_id` on the envelope is ours.");

export const sessionDefinitions = [
  dotted("session.started", "additive", "The agent is up. Opens the agent's part of every run.", {
    native_session_id,
    resumed: Flag("Whether the session existed before this run."),
    forked_from: optional(Key("The session it was forked from.")),
    parent_run_id: optional(Text("The run whose subagent this run is.")),
    approval_mode: optional(
      oneOf(["ask", "auto", "deny"], "What happens to actions that need permission, where it is known."),
    ),
  }),
  dotted("session.resumed", "additive", "An existing session was resumed.", {
    native_session_id,
    prior_turn_count: Count("Turns in it before this run's first."),
  }),
  dotted("session.forked", "additive", "The session was made by forking another.", {
    native_session_id,
    forked_from: Key("The session that was forked."),
  }),
  dotted("session.checkpoint_saved", "additive", "The agent saved a point it can return to.", {
    native_session_id,
    checkpoint_id: Key("The agent's own checkpoint id."),
  }),
  dotted("session.ended", "additive", "The agent is done. Closes the agent's part of every run.", {
    native_session_id,
    turn_count: Count("Turns of the session so far, those before this run included."),
    ...costFields,
  }),
] as const;
