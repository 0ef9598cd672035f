import { SpoorError } from "../failures/errors.ts";
import type { RunControl } from "../run/observer.ts";

/** Why a run stops before it is done. */
export type StopReason = "aborted" | "interrupted" | "timeout";

/** A prompt that waits for the end of the turn. */
export interface WaitingPrompt {
  /** Writes it, and ends the command that it came with. */
  write(): void;
}

/**
 * What can be done to a run of the loop from outside. A cancel and an interrupt stop at once whatever runs; a pause and a
 * further prompt wait for the end of the turn.
 */
export class LoopControl implements RunControl {
  readonly pending: RunControl["pending"] = [];
  readonly #halt = new AbortController();
  readonly #prompts: WaitingPrompt[] = [];
  readonly #promptOf: (text: string) => WaitingPrompt;
  isPauseWanted = false;
  isEnded = false;

  /** `promptOf` makes a prompt while the command that brings it is known. */
  constructor(promptOf: (text: string) => WaitingPrompt) {
    this.#promptOf = promptOf;
  }

  get state(): RunControl["state"] {
    return "running" as RunControl["state"];
  }

  /** Aborts when the run shall stop. */
  get signal(): AbortSignal {
    return this.#halt.signal;
  }

  get stopReason(): StopReason | undefined {
    return this.#halt.signal.aborted ? (this.#halt.signal.reason as StopReason) : undefined;
  }

  /** Stops the run at once. */
  stop(reason: StopReason): void {
    if (!this.#halt.signal.aborted) this.#halt.abort(reason);
  }

  /** Prompts that came meanwhile, to be written between two turns. */
  takePrompts(): WaitingPrompt[] {
    return this.#prompts.splice(0);
  }

  send(text: string): void {
    this.#prompts.push(this.#promptOf(text));
  }

  abort(): void {
    this.stop("aborted");
  }

  interrupt(): void {
    this.stop("interrupted");
  }

  pause(): void {
    if (this.isPauseWanted) throw new SpoorError("INVALID_STATE_TRANSITION", "The run is about to pause already.");
    this.isPauseWanted = true;
  }

  unpause(): void {
    throw new SpoorError("INVALID_STATE_TRANSITION", "The run is not paused.");
  }

  /** The loop asks nothing while it runs: a run that waits for an answer has no process. */
  deliver(): void {}

  answer(interactionId: string): void {
    throw new SpoorError("INTERACTION_NOT_FOUND", `The run has no open question ${interactionId}.`);
  }

  warn(): void {}
}
