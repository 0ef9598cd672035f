import type { Envelope } from "../envelope/envelope.ts";
import { setSpent, usageOf } from "./fold-cost.ts";
import { reportError, reportFailure } from "./fold-errors.ts";
import { openTurn, turnAt } from "./open-turn.ts";
import { count, type Handlers, key, put, text, when } from "./payload-fields.ts";
import type { Editable } from "./snapshot-list.ts";
import { closeSpans } from "./text-spans.ts";
import type { TurnView } from "./types-talk.ts";
import type { Draft } from "./view-draft.ts";

export const turns = {
  "turn.started"(draft, data, envelope) {
    const { run, lists, lookup } = draft;
    const number = count(data.turn_index) ?? run.turn + 1;
    const known = lookup.turns.get(number);
    // A failed turn is retried under the same number and shown as another turn.
    const isOpen = known !== undefined && lists.turns.at(known)?.status === "open";
    const turn = lists.turns.edit(isOpen ? known : openTurn(draft, number));
    put(turn, { model: key(data.model), provider: key(data.provider), startedAt: when(envelope) });
    put(run, { model: key(data.model), provider: key(data.provider) });
    if (run.status !== "paused") run.status = "running";
  },
  "turn.completed"(draft, data, envelope) {
    endTurn(draft, data.turn_index, envelope, {
      status: "completed",
      stopReason: text(data.stop_reason),
      durationMs: count(data.duration_ms),
      usage: usageOf(data),
    });
    setSpent(draft, data.run_cumulative_cost_micros_usd);
  },
  "turn.failed"(draft, data, envelope) {
    const error = { message: text(data.message) ?? "", willRetry: data.will_retry === true };
    endTurn(draft, data.turn_index, envelope, {
      status: "failed",
      error: put<NonNullable<TurnView["error"]>>(error, { code: key(data.code) }),
    });
    reportError(draft, envelope, error.message || "The turn failed.", !error.willRetry);
  },
  "turn.step_started"(draft, data) {
    const turn = turnAt(draft, data.turn_index);
    if (turn !== undefined) put(draft.lists.turns.edit(turn), { step: key(data.step_type) });
  },
  "turn.step_completed"(draft, data) {
    const turn = turnAt(draft, data.turn_index);
    if (turn !== undefined) delete draft.lists.turns.edit(turn).step;
  },
  "turn.limit_reached"(draft, data, envelope) {
    reportFailure(draft, envelope, { type: "turn_limit", maxTurns: count(data.max_turns) ?? 0 });
  },
} satisfies Handlers;

/** Marks a turn that is open at the end of the run as cancelled. */
export function cancelTurns(draft: Draft, at: string | undefined): void {
  const { lists, lookup } = draft;
  for (const turn of lookup.turns.values()) {
    if (lists.turns.at(turn)?.status === "open") put(lists.turns.edit(turn), { status: "cancelled", endedAt: at });
  }
}

type Ending = { readonly [Key in keyof TurnView]?: TurnView[Key] | undefined };

function endTurn(draft: Draft, turnIndex: unknown, envelope: Envelope, ending: Ending): void {
  closeSpans(draft);
  const at = turnAt(draft, turnIndex);
  if (at === undefined) return;
  const turn: Editable<TurnView> = draft.lists.turns.edit(at);
  const usage = { ...turn.usage, ...ending.usage };
  // A failed turn also gets `turn.completed` before it is retried; it stays failed.
  const status = turn.status === "failed" ? "failed" : ending.status;
  delete turn.step;
  put<TurnView>(turn, { ...ending, status, usage, endedAt: when(envelope) });
}
