import type { Envelope } from "@spoor/protocol";
import { type Failure, internalError } from "../../agents/kit/failures.ts";
import type { Signal } from "../../agents/signal.ts";
import type { UserInput } from "../../run/observer.ts";

/** Something that a person or Spoor did in a run: input to the agent, a pause, or the end of the run. */
export interface Act {
  at: number;
  userInput?: UserInput;
  signal?: Signal;
}

/** Reads them from the stored envelopes. The first prompt is not included. */
export const actsOf = (envelopes: readonly Envelope[]): Act[] =>
  envelopes.map(actOf).filter((act) => act !== undefined);

function actOf({ type, data, occurred_at }: Envelope): Act | undefined {
  const at = Date.parse(occurred_at);
  switch (type) {
    case "user.message":
      return data.via === "prompt" ? undefined : { at, userInput: userInputOf(data) };
    case "run.paused":
    case "run.unpaused":
      return { at, signal: { kind: "pause", paused: type === "run.paused" } };
    case "run.interrupted":
      return { at, signal: { kind: "fail", event: { type: "interrupted" } } };
    case "run.aborted":
      return { at, signal: { kind: "fail", event: { type: "aborted" } } };
    case "run.timed_out":
      return { at, signal: { kind: "fail", event: { type: "timeout", kind: data.kind as "run" | "inactivity" } } };
    case "turn.limit_reached":
      return { at, signal: { kind: "fail", event: { type: "turn_limit", maxTurns: Number(data.max_turns) } } };
    case "error.reported":
      return data.code === "BUDGET_EXCEEDED" ? { at, signal: { kind: "fail", event: budgetSpent(data) } } : undefined;
    default:
      return undefined;
  }
}

const budgetSpent = ({ message }: Envelope["data"]): Failure => internalError(String(message), "BUDGET_EXCEEDED");

const userInputOf = ({ text, via, interaction_id }: Envelope["data"]): UserInput => ({
  via: (via ?? "send") as UserInput["via"],
  text: String(text),
  ...(typeof interaction_id === "string" && { interactionId: interaction_id }),
});

export function promptOf(envelopes: readonly Envelope[]): string {
  const prompt = envelopes.find(({ type, data }) => type === "user.message" && data.via === "prompt");
  return String(prompt?.data.text ?? "");
}
