import type { AgentEvent, AgentEventOf } from "@spoor/protocol";
import { instant } from "@spoor/protocol/write";
import type { Effect } from "../../log/effects.ts";
import type { LogDraft } from "../../log/log.ts";
import { type ApprovalTerms, type AskingRule, requestData } from "../projections/approval-request.ts";
import { approvalEffects, type RunOfEvent } from "../projections/approvals.ts";

/** Drafts of one event, and the rows that change with them. */
export interface Completed {
  drafts: readonly LogDraft[];
  effects?: readonly Effect[];
  /** The approval that these drafts decide, unless somebody else was faster. */
  settles?: string;
}

type ApprovalAnswer = AgentEventOf<"approval_granted" | "approval_denied">;

/**
 * Makes a durable record of each approval of one run, and follows how it is decided: by an answer that is in the log
 * already, or by the agent itself.
 */
export class ApprovalDrafts {
  readonly #run: RunOfEvent;
  readonly #terms: ApprovalTerms;
  /** The kind of each approval that nobody has decided yet. */
  readonly #open = new Map<string, unknown>();
  readonly #rules = new Map<string, AskingRule>();
  readonly #decided = new Set<string>();

  constructor(run: RunOfEvent, terms: ApprovalTerms) {
    this.#run = run;
    this.#terms = terms;
  }

  /** Says why a question is asked, before the question itself comes. */
  askedBy(approval_id: string, rule: AskingRule): void {
    this.#rules.set(approval_id, rule);
  }

  /** The answer is in the log already, so that only what follows from it is written. */
  decided(approval_id: string): void {
    this.#decided.add(approval_id);
    this.#open.delete(approval_id);
  }

  complete(event: AgentEvent, drafts: readonly LogDraft[]): Completed {
    if (event.type === "approval_request") return this.#requested(event, drafts);
    if (event.type === "approval_granted" || event.type === "approval_denied") return this.#resolved(event, drafts);
    return { drafts };
  }

  #requested({ interactionId, timestamp }: AgentEventOf<"approval_request">, drafts: readonly LogDraft[]): Completed {
    const rule = this.#rules.get(interactionId) ?? {};
    this.#rules.delete(interactionId);
    return this.#change(drafts, "approval.requested", (data) => {
      this.#open.set(interactionId, data.kind);
      return requestData(data, this.#terms, rule, timestamp);
    });
  }

  #resolved(event: ApprovalAnswer, drafts: readonly LogDraft[]): Completed {
    const { interactionId, timestamp } = event;
    if (this.#decided.delete(interactionId))
      return { drafts: drafts.filter(({ type }) => type !== "approval.resolved") };
    if (!this.#open.has(interactionId)) return { drafts };
    const kind = this.#open.get(interactionId);
    this.#open.delete(interactionId);
    // Nobody answered through Spoor: the agent's own rules allowed the action, or the question is no longer open.
    const status = event.type === "approval_granted" ? "approved" : "cancelled";
    const completed = this.#change(drafts, "approval.resolved", (data) => ({
      ...data,
      ...{ decision: status, status, by: "agent", scope: "once", resolved_at: instant(timestamp) },
      ...(kind !== undefined && { kind }),
    }));
    return { ...completed, settles: interactionId };
  }

  #change(
    drafts: readonly LogDraft[],
    type: string,
    change: (data: Record<string, unknown>) => Record<string, unknown>,
  ): Completed {
    const effects: Effect[] = [];
    const changed = drafts.map((draft) => {
      if (draft.type !== type) return draft;
      const data = change(JSON.parse(draft.json));
      effects.push(...approvalEffects({ type, data }, this.#run));
      return { ...draft, json: JSON.stringify(data) };
    });
    return { drafts: changed, effects };
  }
}
