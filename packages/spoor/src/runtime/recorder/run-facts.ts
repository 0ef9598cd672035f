import type { AgentEvent } from "@spoor/protocol";
import type { LogDraft } from "../../log/log.ts";
import type { RunFacts } from "../../log/records.ts";

/** Follows a run's events and returns what each one changes in the run's row. */
export class RunFactsTracker {
  turns = 0;
  /** Millionths of a dollar; undefined until the agent reports a cost. */
  cost: number | undefined;
  readonly #questions = new Set<string>();

  /** `drafts` are the envelopes of the event. */
  of(event: AgentEvent, drafts: readonly LogDraft[]): RunFacts | undefined {
    switch (event.type) {
      case "session_start":
        return event.sessionId.startsWith("transient-") ? undefined : { native_session_id: event.sessionId };
      case "turn_start":
        this.turns += 1;
        return { turns: this.turns, ...(event.model !== undefined && { model: event.model }) };
      case "cost":
        return this.#costOf(drafts, "cumulative_cost_micros_usd");
      case "session_end":
        return event.cost && this.#costOf(drafts, "cost_micros_usd");
      case "approval_request":
      case "input_required":
        this.#questions.add(event.interactionId);
        return { status: "awaiting_approval", pending: this.#questions.size };
      case "approval_granted":
      case "approval_denied":
        return this.answered(event.interactionId);
      default:
        return undefined;
    }
  }

  answered(interactionId: string): RunFacts | undefined {
    if (!this.#questions.delete(interactionId)) return undefined;
    const pending = this.#questions.size;
    return { pending, ...(pending === 0 && { status: "running" as const }) };
  }

  /** Reads the cost from the envelope, so that the row has the same rounding. */
  #costOf(drafts: readonly LogDraft[], field: string): RunFacts | undefined {
    const cost = drafts.map(({ json }) => JSON.parse(json)[field]).find((value) => typeof value === "number");
    if (cost === undefined) return undefined;
    this.cost = cost;
    return { cost_micros_usd: cost };
  }
}
