import type { Signal } from "../agents/signal.ts";
import type { Emitter } from "./emitter.ts";
import { evidenceOf } from "./evidence.ts";

type Of<Kind extends Signal["kind"]> = Extract<Signal, { kind: Kind }>;

export interface InteractionsHost {
  emitter: Emitter;
  /** Whether everything is allowed. Questions that the agent still asks are then granted without events. */
  isSilent: boolean;
  /** Opens the turn. */
  begin(): void;
  newInteractionId(): string;
  /** Returns whether the call waits for the answer; a call whose command already runs does not. */
  asked(toolId: string, interactionId: string): boolean;
  answered(toolId: string, interactionId: string, granted: boolean): void;
}

/** Assigns Spoor's ids to the agent's questions, and emits one answer for each question. */
export class Interactions {
  /** Our id of each open approval request, by the agent's id. */
  readonly #open = new Map<string, { interactionId: string; toolId: string | undefined }>();
  /** The agent's id of every question so far, by our id. */
  readonly #natives = new Map<string, string>();
  readonly #host: InteractionsHost;

  constructor(host: InteractionsHost) {
    this.#host = host;
  }

  ask({ id, action, detail, risk, tool, input = tool?.input, diff }: Of<"ask">): void {
    if (this.#open.has(id)) return;
    this.#host.begin();
    const interactionId = this.#host.newInteractionId();
    const toolId = tool && this.#host.asked(tool.id, interactionId) ? tool.id : undefined;
    this.#open.set(id, { interactionId, toolId });
    this.#natives.set(interactionId, id);
    if (this.#host.isSilent) return;
    this.#host.emitter.emit("approval_request", {
      interactionId,
      action,
      detail,
      riskLevel: risk,
      ...(tool && { toolName: tool.name }),
      ...(toolId !== undefined && { toolCallId: toolId }),
      ...evidenceOf(input, diff),
    });
  }

  answer(id: string, granted: boolean, reason?: string): void {
    const open = this.#open.get(id);
    if (!open) return;
    this.#open.delete(id);
    const { interactionId, toolId } = open;
    this.#host.begin();
    if (granted && !this.#host.isSilent) this.#host.emitter.emit("approval_granted", { interactionId });
    if (!granted)
      this.#host.emitter.emit("approval_denied", { interactionId, ...(reason === undefined ? {} : { reason }) });
    if (toolId !== undefined) this.#host.answered(toolId, interactionId, granted);
  }

  /** Returns the id that the agent gave to a question. */
  nativeId(interactionId: string): string | undefined {
    return this.#natives.get(interactionId);
  }

  /** Emits the answer to a question that the agent never reported as answered. The outcome of the call shows the answer. */
  resolve(interactionId: string, granted: boolean): void {
    for (const [id, open] of this.#open) if (open.interactionId === interactionId) this.answer(id, granted);
  }

  denied({ reason }: Of<"denied">): void {
    this.#host.begin();
    const interactionId = this.#host.newInteractionId();
    this.#host.emitter.emit("approval_denied", { interactionId, ...(reason === undefined ? {} : { reason }) });
  }

  question({ id, question, context, source }: Of<"question">): void {
    this.#host.begin();
    const interactionId = this.#host.newInteractionId();
    this.#natives.set(interactionId, id);
    this.#host.emitter.emit("input_required", {
      interactionId,
      question,
      source,
      ...(context === undefined ? {} : { context }),
    });
  }

  close(why: string): void {
    for (const id of [...this.#open.keys()]) this.answer(id, false, why);
  }
}
