import { Count, Flag, Key, optional, Text } from "../schema.ts";
import { dotted, turnIndex } from "./define.ts";
import { costFields } from "./money.ts";

export const turnDefinitions = [
  dotted("turn.started", "core", "A turn begins: a model call is about to be made.", {
    turn_index: turnIndex,
    model: optional(Text("The model called.")),
    provider: optional(Text("Who serves it.")),
    input_tokens_estimate: optional(Count("A cheap guess, for people.")),
  }),
  dotted("turn.completed", "core", "The turn is over. Its cost is authoritative here.", {
    turn_index: turnIndex,
    ...costFields,
    duration_ms: optional(Count("Wall-clock time.")),
    tool_calls: optional(Count("Tool calls of this turn.")),
    stop_reason: optional(Text("Why the model stopped.")),
    step_id: optional(Text("The step record of this turn.")),
    run_cumulative_cost_micros_usd: optional(Count("The run so far.")),
    task_cumulative_cost_micros_usd: optional(Count("The task so far, earlier runs included.")),
  }),
  dotted("turn.failed", "core", "The turn failed; the run may try again or fail.", {
    turn_index: turnIndex,
    code: Key("Stable code of the failure."),
    message: Text("What went wrong, for people."),
    will_retry: Flag("Whether it is tried again."),
  }),
  dotted("turn.step_started", "additive", "A phase of the turn begins.", {
    turn_index: turnIndex,
    step_index: Count("Step within the turn, from 0."),
    step_type: Key("`thinking`, `generation`, `tool_use`, `review`, or an agent's own phase."),
  }),
  dotted("turn.step_completed", "additive", "The phase is over.", {
    turn_index: turnIndex,
    step_index: Count("Step within the turn, from 0."),
  }),
  dotted("turn.limit_reached", "additive", "The run used all its turns. The cause; the terminal event follows.", {
    max_turns: Count("The limit that was set; 0 when unknown."),
  }),
] as const;
