import type { ErrorCode } from "@spoor/protocol";
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
    const message = "message" in held ? held.message : held.type;
    this.#emitter.emit("error", { code: codes[held.type] ?? "INTERNAL", message, recoverable: true });
  }

  tell(): void {
    if (this.#held) this.#emitter.fact(this.#held);
    this.#held = undefined;
  }
}

const codes: Partial<Record<TerminalFact["type"], ErrorCode>> = {
  auth_error: "AUTH_ERROR",
  rate_limit_error: "RATE_LIMITED",
  context_exceeded: "CONTEXT_EXCEEDED",
  crash: "AGENT_CRASH",
  timeout: "TIMEOUT",
  aborted: "ABORTED",
  interrupted: "ABORTED",
};
