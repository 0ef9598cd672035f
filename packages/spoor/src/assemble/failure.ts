import { asErrorCode, runFailureOf } from "@spoor/protocol/write";
import type { Signal } from "../agents/signal.ts";
import type { Emitter } from "./emitter.ts";

type TerminalFact = Extract<Signal, { kind: "fail" }>["event"];

/** A failure, held until it is certain that it ends the run. */
export class Failure {
  #held: TerminalFact | undefined;
  readonly #emitter: Emitter;

  constructor(emitter: Emitter) {
    this.#emitter = emitter;
  }

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /** The first failure is the cause; what follows from it is not told. */
  hold(event: TerminalFact): void {
    this.#held ??= event;
  }

  /** The model goes on, so it was none that ends the run. */
  recover(): void {
    const held = this.#held;
    if (!held) return;
    this.#held = undefined;
    const { code, message } = runFailureOf(held);
    this.#emitter.emit("error", { code: asErrorCode(code), message, recoverable: true });
  }

  tell(): void {
    if (this.#held) this.#emitter.fact(this.#held);
    this.#held = undefined;
  }
}
