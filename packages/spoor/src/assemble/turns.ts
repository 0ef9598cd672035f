import type { CostRecord } from "@spoor/protocol";
import type { Emitter } from "./emitter.ts";

type Phase = "thinking" | "generation" | "tool_use";

/**
 * Turns and their steps. A turn is one model call and its tools. It opens with its first event. The first model call joins
 * a turn that a fact has opened; the next model call ends the turn and opens another. Steps are the phases of a turn:
 * thinking, generation, tool use.
 */
export class Turns {
  count = 0;
  isOpen = false;
  #joined = false;
  #step: { index: number; phase: Phase } | undefined;
  #steps = 0;
  #end: { stopReason?: string; cost?: CostRecord } = {};
  readonly #emitter: Emitter;
  /** Closes the spans inside the turn. */
  readonly #closeInside: (why: string) => void;

  constructor(emitter: Emitter, closeInside: (why: string) => void) {
    this.#emitter = emitter;
    this.#closeInside = closeInside;
  }

  /** A model call begins. */
  call(model: string | undefined, provider: string | undefined): void {
    if (this.isOpen && this.#joined) this.end("The next model call began.");
    if (!this.isOpen) this.#open(model, provider);
    this.#joined = true;
  }

  /** The output of the call is complete. `turn_end` carries the reason and the cost. */
  callDone(end: { stopReason?: string; cost?: CostRecord }): void {
    if (this.isOpen) this.#end = { ...this.#end, ...end };
  }

  /** Opens a turn if none is open. */
  ensure(): void {
    if (!this.isOpen) this.#open(undefined, undefined);
  }

  phase(phase: Phase): void {
    this.ensure();
    if (this.#step?.phase === phase) return;
    this.#endStep();
    this.#step = { index: this.#steps++, phase };
    this.#emitter.emit("step_start", { turnIndex: this.count - 1, stepIndex: this.#step.index, stepType: phase });
  }

  end(why: string): void {
    if (!this.isOpen) return;
    this.#closeInside(why);
    this.#endStep();
    this.isOpen = false;
    this.#emitter.emit("turn_end", { turnIndex: this.count - 1, ...this.#end });
  }

  #open(model: string | undefined, provider: string | undefined): void {
    this.isOpen = true;
    this.#joined = false;
    this.#steps = 0;
    this.#end = {};
    this.#emitter.emit("turn_start", {
      turnIndex: this.count++,
      ...(model === undefined ? {} : { model }),
      ...(provider === undefined ? {} : { provider }),
    });
  }

  #endStep(): void {
    if (!this.#step) return;
    this.#emitter.emit("step_end", { turnIndex: this.count - 1, stepIndex: this.#step.index });
    this.#step = undefined;
  }
}
