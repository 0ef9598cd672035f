import { Count, Key, optional, type Static, Text } from "../schema.ts";
import { agentEvent } from "./base.ts";
import { CostRecord } from "./cost-record.ts";

const turnIndex = Count("Turn within the run, from 0.");
const stepIndex = Count("Step within the turn, from 0.");

export const TurnStartEvent = agentEvent("turn_start", "A turn begins: one model call together with its tools.", {
  turnIndex,
  model: optional(Text("The model called.")),
  provider: optional(Text("Who serves the model.")),
});
export type TurnStartEvent = Static<typeof TurnStartEvent>;

export const TurnEndEvent = agentEvent("turn_end", "The turn is over.", {
  turnIndex,
  cost: optional(CostRecord),
  stopReason: optional(Text("Why the model stopped, in the agent's words.")),
});
export type TurnEndEvent = Static<typeof TurnEndEvent>;

export const StepStartEvent = agentEvent("step_start", "A phase of the turn begins.", {
  turnIndex,
  stepIndex,
  stepType: Key("`thinking`, `generation`, `tool_use`, `review`, or an agent's own phase."),
});
export type StepStartEvent = Static<typeof StepStartEvent>;

export const StepEndEvent = agentEvent("step_end", "The phase is over.", { turnIndex, stepIndex });
export type StepEndEvent = Static<typeof StepEndEvent>;
