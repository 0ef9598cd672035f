import type { Signal } from "../agents/signal.ts";
import type { Emitter } from "./emitter.ts";
import { evidenceOf } from "./evidence.ts";

type Of<Kind extends Signal["kind"]> = Extract<Signal, { kind: Kind }>;

/** A question of the agent that Spoor's rules decide about first. */
export type HeldQuestion = Omit<Extract<Signal, { kind: "ask" }>, "kind"> & {
  /** The run that asks: this one or that of a subagent. */
  runId: string;
  /** The id under which a person would be asked. */
  interactionId: string;
  /** The call that waits for the answer. */
  toolCallId?: string;
  /** The subagent that asks. */
  child?: string;
};

export interface InteractionsHost {
  emitter: Emitter;
  /** Receives each question before anybody is asked. Absent: every question is asked. */
  hold?: ((question: HeldQuestion) => void) | undefined;
  /** Ends a call that a rule blocks. */
  blocked(toolId: string, reason: string): void;
  /** Whether everything is allowed. Questions that the agent still asks are then granted without events. */
  isSilent: boolean;
  /** Opens the turn. */
  begin(): void;
  newInteractionId(): string;
  /** Returns the open call that writes this file. */
  writerOf(file: string): string | undefined;
  /** Returns whether the call waits for the answer; a call whose command already runs does not. */
  asked(toolId: string, interactionId: string): boolean;
  answered(toolId: string, interactionId: string, granted: boolean): void;
}

interface OpenQuestion {
  interactionId: string;
  toolId: string | undefined;
  question: Of<"ask">;
  /** Whether `approval_request` was emitted. */
  isTold: boolean;
  verdict?: Of<"verdict">["decision"];
}

/** Assigns Spoor's ids to the agent's questions, and emits one answer for each question. */
export class Interactions {
  /** The open questions, by the agent's id. */
  readonly #open = new Map<string, OpenQuestion>();
  /** The agent's id of every question so far, by our id. */
  readonly #natives = new Map<string, string>();
  readonly #host: InteractionsHost;

  constructor(host: InteractionsHost) {
    this.#host = host;
  }

  ask(question: Of<"ask">): void {
    const { id, tool, writes } = question;
    if (this.#open.has(id)) return;
    this.#host.begin();
    const interactionId = this.#host.newInteractionId();
    const callId = tool?.id ?? (writes === undefined ? undefined : this.#host.writerOf(writes));
    const toolId = callId !== undefined && this.#host.asked(callId, interactionId) ? callId : undefined;
    this.#natives.set(interactionId, id);
    const { hold, isSilent, emitter } = this.#host;
    const open: OpenQuestion = { interactionId, toolId, question, isTold: !isSilent && !hold };
    this.#open.set(id, open);
    if (open.isTold) this.#tell(open);
    else if (hold && !isSilent) {
      const { kind: _, ...held } = question;
      hold({ ...held, runId: emitter.runId, interactionId, ...(toolId !== undefined && { toolCallId: toolId }) });
    }
  }

  /** The rules have decided about a question that was held. */
  verdict({ id, decision, reason = "A rule blocks it." }: Of<"verdict">): void {
    const open = this.#open.get(id);
    if (!open || open.isTold || open.verdict) return;
    open.verdict = decision;
    if (decision === "ask") this.#tell(open);
    if (decision === "block" && open.toolId !== undefined) this.#host.blocked(open.toolId, reason);
  }

  #tell(open: OpenQuestion): void {
    const { action, detail, risk, tool, input = tool?.input, diff } = open.question;
    open.isTold = true;
    this.#host.emitter.emit("approval_request", {
      interactionId: open.interactionId,
      action,
      detail,
      riskLevel: risk,
      ...(tool && { toolName: tool.name }),
      ...(open.toolId !== undefined && { toolCallId: open.toolId }),
      ...evidenceOf(input, diff),
    });
  }

  answer(id: string, granted: boolean, reason?: string): void {
    const open = this.#open.get(id);
    if (!open) return;
    this.#open.delete(id);
    const { interactionId, toolId, isTold, verdict } = open;
    this.#host.begin();
    // A question that was answered by a rule, or that nobody heard of, has no events of its own.
    const isUntold = !isTold && this.#host.hold !== undefined && !this.#host.isSilent;
    if (granted && isTold) this.#host.emitter.emit("approval_granted", { interactionId });
    if (!granted && !isUntold)
      this.#host.emitter.emit("approval_denied", { interactionId, ...(reason === undefined ? {} : { reason }) });
    if (toolId !== undefined && verdict !== "block") this.#host.answered(toolId, interactionId, granted);
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
