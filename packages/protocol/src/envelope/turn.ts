import { Count, Flag, Key, optional, Text } from "../schema.ts";
import { dotted, turnIndex } from "./define.ts";
import { costFields } from "./money.ts";

export const turnDefinitions = [
  dotted("turn.started", "core", "A turn begins: a model call is about to be made.", {
    turn_index: turnIndex,
    model: optional(Text("The model called.")),
    provider: optional(Text("The provider of the model.")),
    input_tokens_estimate: optional(Count("A rough estimate, for people.")),
  }),
  dotted("turn.completed", "core", "The turn ended. The cost given here is authoritative.", {
    turn_index: turnIndex,
    ...costFields,
    duration_ms: optional(Count("Wall-clock time.")),
    tool_calls: optional(Count("Number of tool calls in this turn.")),
    stop_reason: optional(Text("Why the model stopped.")),
    step_id: optional(Text("The step record of this turn.")),
    run_cumulative_cost_micros_usd: optional(Count("The cost of the run so far.")),
    task_cumulative_cost_micros_usd: optional(Count("The cost of the task so far, including earlier runs.")),
  }),
  dotted("turn.failed", "core", "The turn failed. The run may retry it or fail.", {
    turn_index: turnIndex,
    code: Key("Stable code of the failure."),
    message: Text("What went wrong, for people."),
    will_retry: Flag("Whether the turn is retried."),
  }),
  dotted("turn.step_started", "additive", "A phase of the turn begins.", {
    turn_index: turnIndex,
    step_index: Count("Step within the turn, from 0."),
    step_type: Key("`thinking`, `generation`, `tool_use`, `review`, or an agent's own phase."),
  }),
  dotted("turn.step_completed", "additive", "The phase ended.", {
    turn_index: turnIndex,
    step_index: Count("Step within the turn, from 0."),
  }),
  dotted(
    "turn.limit_reached",
    "additive",
    "The run reached its turn limit. This is the cause; the terminal event follows.",
    {
      max_turns: Count("The turn limit; 0 when unknown."),
    },
  ),
] as const;
