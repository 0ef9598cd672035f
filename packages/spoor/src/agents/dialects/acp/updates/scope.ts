import { given } from "../../../given.ts";
import type { Signal } from "../../../signal.ts";
import type { ToolCall } from "../../../tool.ts";

/**
 * Finds model calls and messages in what one run, or one subagent, puts out. ACP tells neither: a call begins with
 * output after all tools ended, or with speech after the last call's usage was told; a message ends where another kind
 * of output, or another message id, begins.
 */
export class Scope {
  /** Set for a subagent: the call that spawned it. */
  readonly child: string | undefined;
  readonly #model: () => string | undefined;
  readonly #open = new Set<string>();
  #due = true;
  #called = false;
  /** The call's usage was told, so that it says no more; its tools may still come. */
  #closed = false;
  #speech: { kind: "text" | "thinking"; messageId: string | undefined; key: string } | undefined;
  #keys = 0;

  constructor(model: () => string | undefined, child?: string) {
    this.#model = model;
    this.child = child;
  }

  prompted(): void {
    this.#open.clear();
    this.#called = false;
    this.again();
  }

  /** The model is called anew. */
  again(): void {
    this.#due = true;
    this.#closed = false;
    this.#speech = undefined;
  }

  speak(kind: "text" | "thinking", delta: string, messageId: string | undefined, isWhole = false): Signal[] {
    const signals = this.#begin(this.#closed);
    const last = this.#speech;
    const goesOn = last?.kind === kind && (messageId ?? last.messageId) === last.messageId;
    const key = goesOn && !isWhole ? last.key : `${kind}-${++this.#keys}`;
    this.#speech = { kind, messageId: messageId ?? (goesOn ? last.messageId : undefined), key };
    return [...signals, { kind, key, delta }];
  }

  /** A call the model made. `isLater` says that it shares the model call of the one before. */
  toolBegins(id: string, isLater = false): Signal[] {
    if (isLater && this.#called) this.#due = false;
    const signals = this.#begin(false);
    this.#speech = undefined;
    this.#open.add(id);
    return signals;
  }

  toolEnds(id: string): void {
    this.#speech = undefined;
    if (this.#open.delete(id) && this.#open.size === 0) {
      this.#due = true;
      this.#closed = false;
    }
  }

  /** A call that is over as soon as it begins: of what agents tell apart from their tools. */
  wholeCall(call: ToolCall, rest: readonly Signal[]): Signal[] {
    const begun = this.toolBegins(call.id);
    this.toolEnds(call.id);
    return [...begun, { kind: "toolReady", ...call }, ...rest];
  }

  /** A model call's usage: the call is over, and was one even if nothing of it was seen. */
  used(usage: Extract<Signal, { kind: "usage" }>): Signal[] {
    const signals = this.#begin(this.#closed);
    this.#closed = true;
    return [...signals, usage, { kind: "callDone" }];
  }

  #begin(isDue: boolean): Signal[] {
    if (!isDue && !this.#due) return [];
    this.#due = false;
    this.#called = true;
    this.#closed = false;
    return [{ kind: "call", ...given({ model: this.#model() }) }];
  }
}

export const tagged = (signals: Signal[], { child }: Scope): Signal[] =>
  child === undefined ? signals : signals.map((signal) => ({ ...signal, child }));
