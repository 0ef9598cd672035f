import type { AgentEvent } from "@spoor/protocol";
import { omitUndefined } from "../agents/kit/omit-undefined.ts";
import type { Answer } from "../agents/machine.ts";
import { SpoorError } from "../failures/errors.ts";
import { callSafely, type OnThrow } from "./call-safely.ts";

/** A question of the agent that waits for an answer. */
export interface PendingInteraction {
  id: string;
  /** The run that asks: this one or that of a subagent. */
  runId: string;
  /** Epoch milliseconds. */
  createdAt: number;
  type: "approval" | "input";
  description: string;
  detail: string;
  toolName?: string;
  toolCallId?: string;
  riskLevel?: "low" | "medium" | "high";
  /** The input of the tool and, for a change of files, its unified diff. `truncated` says that one of them was cut. */
  input?: unknown;
  diff?: string;
  truncated?: boolean;
}

/** What became of an answer. In a recorded run somebody in another process may have answered first. */
export interface AnswerOutcome {
  /** Whether the agent gets this answer. */
  won: boolean;
  /** What was decided: by this answer, or by the one that came first. */
  decision: "approved" | "rejected" | "cancelled" | "answered";
  /** Who decided, if that is known. */
  by?: string;
}

/** The answer to a question of the agent. */
export type InteractionAnswer = { approve: true } | { deny: true; reason?: string } | { text: string };

/**
 * Holds the open questions of a run, and answers them by id.
 *
 * @example
 * run.interaction.onPending(({ id, description }) => {
 *   console.log(description);
 *   run.interaction.respond(id, { approve: true });
 * });
 */
export class InteractionChannel {
  readonly #pending = new Map<string, { interaction: PendingInteraction; settled: PromiseWithResolvers<void> }>();
  readonly #listeners = new Set<(interaction: PendingInteraction) => unknown>();
  readonly #answer: OnAnswer;
  readonly #onThrow: OnThrow;

  constructor(answer: OnAnswer, onThrow: OnThrow) {
    this.#answer = answer;
    this.#onThrow = onThrow;
  }

  get pending(): PendingInteraction[] {
    return [...this.#pending.values()].map(({ interaction }) => interaction);
  }

  /** Resolves when the question is no longer open, no matter who answered it. */
  settled(id: string): Promise<void> {
    return this.#pending.get(id)?.settled.promise ?? Promise.resolve();
  }

  /** Calls the listener for every new question, until the returned function is called. */
  onPending(listener: (interaction: PendingInteraction) => unknown): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns the only open question, for an answer without an id. Throws if there is none or more than one. */
  only(type?: PendingInteraction["type"]): PendingInteraction {
    const [first, ...others] = this.pending.filter((each) => type === undefined || each.type === type);
    if (!first) throw new SpoorError("NO_PENDING_INTERACTION", "No question waits for an answer.");
    if (others.length === 0) return first;
    const ids = [first, ...others].map(({ id }) => id).join(", ");
    throw new SpoorError(
      "INTERACTION_NOT_FOUND",
      `Several questions wait for an answer. Answer one of them by its id: ${ids}.`,
    );
  }

  /**
   * Answers a question, or throws if nobody waits for the answer. The promise never rejects: it says whether this answer
   * counts, because somebody in another process may have answered a recorded run first. `by` names who answers.
   */
  respond(id: string, response: InteractionAnswer, by?: string): Promise<AnswerOutcome> {
    const pending = this.#pending.get(id);
    if (!pending)
      throw new SpoorError(
        "INTERACTION_NOT_FOUND",
        `No question ${id} waits for an answer. It may have been answered already.`,
      );
    this.#settle(id);
    return this.#answer(pending.interaction, answerOf(response), by);
  }

  approveAll(): void {
    for (const { id, type } of this.pending) if (type === "approval") void this.respond(id, { approve: true });
  }

  denyAll(reason?: string): void {
    for (const { id } of this.pending) void this.respond(id, { deny: true, ...(reason !== undefined && { reason }) });
  }

  /** The question was answered by somebody else. */
  settle(id: string): void {
    this.#settle(id);
  }

  /** Updates the list of open questions from an event. */
  update(event: AgentEvent): void {
    const { runId, timestamp: createdAt } = event;
    if (event.type === "approval_request") {
      const { interactionId: id, action: description, detail, riskLevel } = event;
      const { toolName, toolCallId, input, diff, truncated } = event;
      const more = omitUndefined({ toolName, toolCallId, input, diff, truncated });
      this.#add({ id, runId, createdAt, type: "approval", description, detail, riskLevel, ...more });
    } else if (event.type === "input_required") {
      const { interactionId: id, question: description, context: detail = "" } = event;
      this.#add({ id, runId, createdAt, type: "input", description, detail });
    } else if (event.type === "approval_granted" || event.type === "approval_denied") {
      this.#settle(event.interactionId);
    } else if (event.type === "session_end") {
      for (const pending of this.pending) if (pending.runId === runId) this.#settle(pending.id);
    }
  }

  /** Closes all questions: the process that asked them is gone. */
  clear(): void {
    for (const { id } of this.pending) this.#settle(id);
  }

  #settle(id: string): void {
    this.#pending.get(id)?.settled.resolve();
    this.#pending.delete(id);
  }

  #add(interaction: PendingInteraction): void {
    this.#pending.set(interaction.id, { interaction, settled: Promise.withResolvers() });
    for (const listener of this.#listeners) callSafely(this.#onThrow, listener, () => listener(interaction));
  }
}

export type OnAnswer = (question: PendingInteraction, answer: Answer, by: string | undefined) => Promise<AnswerOutcome>;

/** Only `approve: true` grants an action, because callers without type checks may pass `{ approve: false }`. */
function answerOf(response: InteractionAnswer): Answer {
  if ("text" in response) return { granted: true, text: response.text };
  if ("approve" in response && response.approve === true) return { granted: true };
  const { reason } = response as { reason?: string };
  return { granted: false, ...(reason !== undefined && { text: reason }) };
}
