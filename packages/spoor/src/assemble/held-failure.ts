import { asErrorCode, runFailureOf } from "@spoor/protocol/write";
import type { Failure } from "../agents/kit/failures.ts";
import type { Emitter } from "./emitter.ts";

/** Holds a failure back until it is certain that it ends the run. */
export class HeldFailure {
  #held: Failure | undefined;
  readonly #emitter: Emitter;

  constructor(emitter: Emitter) {
    this.#emitter = emitter;
  }

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /** Keeps the first failure only: later ones are consequences of it. */
  hold(event: Failure): void {
    this.#held ??= event;
  }

  /** The model works again, so the failure becomes a recoverable error. */
  recover(): void {
    const held = this.#held;
    if (!held) return;
    this.#held = undefined;
    const { code, message } = runFailureOf(held);
    this.#emitter.emit("error", { code: asErrorCode(code), message, recoverable: true });
  }

  emit(): void {
    if (this.#held) this.#emitter.fact(this.#held);
    this.#held = undefined;
  }
}
