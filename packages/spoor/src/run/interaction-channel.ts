import type { AgentEvent } from "@spoor/protocol";
import { omitUndefined } from "../agents/kit/omit-undefined.ts";
import type { Answer } from "../agents/machine.ts";
import { SpoorError } from "../failures/errors.ts";
import { callSafely, type OnThrow } from "./call-safely.ts";

export interface PendingInteraction {
  id: string;
  /** The run that asks: this one, or a subagent's. */
  runId: string;
  /** Epoch milliseconds. */
  createdAt: number;
  type: "approval" | "input";
  description: string;
  detail: string;
  toolName?: string;
  toolCallId?: string;
  riskLevel?: "low" | "medium" | "high";
  /** What the tool is given, and for a change of files the unified diff of it; either may be cut short. */
  input?: unknown;
  diff?: string;
  truncated?: boolean;
}

export type InteractionAnswer = { approve: true } | { deny: true; reason?: string } | { text: string };

/** The questions of a run that wait, and the way to answer them. Always addressed by id. */
export class InteractionChannel {
  readonly #pending = new Map<string, { interaction: PendingInteraction; settled: PromiseWithResolvers<void> }>();
  readonly #listeners = new Set<(interaction: PendingInteraction) => unknown>();
  readonly #answer: (id: string, answer: Answer) => void;
  readonly #onThrow: OnThrow;

  constructor(answer: (id: string, answer: Answer) => void, onThrow: OnThrow) {
    this.#answer = answer;
    this.#onThrow = onThrow;
  }

  get pending(): PendingInteraction[] {
    return [...this.#pending.values()].map(({ interaction }) => interaction);
  }

  /** Resolves when the question no longer waits, whoever answered it; at once when it does not wait. */
  settled(id: string): Promise<void> {
    return this.#pending.get(id)?.settled.promise ?? Promise.resolve();
  }

  /** Calls back for every question from now on; the function it returns ends that. */
  onPending(listener: (interaction: PendingInteraction) => unknown): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The one question that waits, for an answer that names none. */
  only(type?: PendingInteraction["type"]): PendingInteraction {
    const [first, ...others] = this.pending.filter((each) => type === undefined || each.type === type);
    if (!first) throw new SpoorError("NO_PENDING_INTERACTION", "No question waits for an answer.");
    if (others.length === 0) return first;
    const ids = [first, ...others].map(({ id }) => id).join(", ");
    throw new SpoorError("INTERACTION_NOT_FOUND", `Several questions wait; say which is meant: ${ids}.`);
  }

  respond(id: string, response: InteractionAnswer): void {
    if (!this.#pending.has(id)) throw new SpoorError("INTERACTION_NOT_FOUND", `No question ${id} waits for an answer.`);
    this.#settle(id);
    this.#answer(id, answerOf(response));
  }

  approveAll(): void {
    for (const { id, type } of this.pending) if (type === "approval") this.respond(id, { approve: true });
  }

  denyAll(reason?: string): void {
    for (const { id } of this.pending) this.respond(id, { deny: true, ...(reason !== undefined && { reason }) });
  }

  /** Keeps the list true to the events, however a question was answered. */
  see(event: AgentEvent): void {
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

  /** Whoever asked is gone. */
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

/** Only a plain yes grants: callers without types may give `{ approve: false }`. */
function answerOf(response: InteractionAnswer): Answer {
  if ("text" in response) return { granted: true, text: response.text };
  if ("approve" in response && response.approve === true) return { granted: true };
  const { reason } = response as { reason?: string };
  return { granted: false, ...(reason !== undefined && { text: reason }) };
}
