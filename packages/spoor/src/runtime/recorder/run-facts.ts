import type { AgentEvent } from "@spoor/protocol";
import type { LogDraft } from "../../log/log.ts";

/** Counts what the terminal event of a run repeats. The run's row follows from its events, in the outbox. */
export class RunFactsTracker {
  turns = 0;
  /** Millionths of a dollar; undefined until the agent reports a cost. */
  cost: number | undefined;

  /** `drafts` are the envelopes of the event. */
  add(event: AgentEvent, drafts: readonly LogDraft[]): void {
    if (event.type === "turn_start") this.turns += 1;
    if (event.type === "cost") this.#setCost(drafts, "cumulative_cost_micros_usd");
    if (event.type === "session_end" && event.cost) this.#setCost(drafts, "cost_micros_usd");
  }

  /** Reads the cost from the envelope, so that it has the same rounding. */
  #setCost(drafts: readonly LogDraft[], field: string): void {
    const cost = drafts.map(({ json }) => JSON.parse(json)[field]).find((value) => typeof value === "number");
    if (cost !== undefined) this.cost = cost;
  }
}
