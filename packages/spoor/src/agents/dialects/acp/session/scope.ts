import { omitUndefined } from "../../../kit/omit-undefined.ts";
import { readySignals, type ToolCall } from "../../../kit/tool-calls.ts";
import type { Signal, ToolEnd } from "../../../signal.ts";

type Speech = { kind: "text" | "thinking"; messageId: string | undefined; key: string };

/**
 * Finds model calls and messages in what one run, or one subagent, puts out. ACP tells neither: a call begins with
 * output after all tools ended, or with speech after the last call's usage was told; a message ends where another kind
 * of output, or another message id, begins.
 */
export class Scope {
  /** Set for a subagent: the call that spawned it. */
  readonly child: string | undefined;
  /** Whether usage was told since the prompt. */
  hasUsage = false;
  readonly #told: { readonly model: string | undefined };
  readonly #tools = new Set<string>();
  /** A model call is `closed` once its usage was told: it says no more, but its tools may still come. */
  #call: "first" | "due" | "open" | "closed" = "first";
  #speech: Speech | undefined;
  #speeches = 0;

  constructor(told: { readonly model: string | undefined }, child?: string) {
    this.#told = told;
    this.child = child;
  }

  prompted(): void {
    this.callAgain();
    this.#tools.clear();
    this.#call = "first";
    this.hasUsage = false;
  }

  /** Nothing was said or done since the prompt. */
  get isUnanswered(): boolean {
    return this.#call === "first";
  }

  /** The model is called anew. */
  callAgain(): void {
    this.#call = "due";
    this.#speech = undefined;
  }

  speak(kind: Speech["kind"], delta: string, messageId: string | undefined, isWhole = false): Signal[] {
    const begun = this.#call === "open" ? [] : this.#begin();
    let speech = this.#speech;
    if (isWhole || speech?.kind !== kind || (messageId !== undefined && messageId !== speech.messageId)) {
      speech = { kind, messageId, key: `${kind}-${++this.#speeches}` };
      this.#speech = speech;
    }
    return [...begun, { kind, key: speech.key, delta }];
  }

  /** A call the model made. `isLater` says that it shares the model call of the one before. */
  toolBegins(id: string, isLater = false): Signal[] {
    if (isLater && this.#call === "due") this.#call = "open";
    this.#speech = undefined;
    this.#tools.add(id);
    return this.#call === "first" || this.#call === "due" ? this.#begin() : [];
  }

  toolEnds(id: string): void {
    this.#speech = undefined;
    if (this.#tools.delete(id) && this.#tools.size === 0) this.#call = "due";
  }

  /** A call that is over as soon as it begins: of what agents tell apart from their tools. */
  wholeCall(call: ToolCall, end: Partial<ToolEnd> = {}, ran = readySignals(call)): Signal[] {
    const begun = this.toolBegins(call.id);
    this.toolEnds(call.id);
    return [...begun, ...ran, { kind: "toolEnd", id: call.id, output: null, ...end }];
  }

  /** A model call's usage: the call is over, and was one even if nothing of it was seen. */
  used(usage: Extract<Signal, { kind: "usage" }>): Signal[] {
    const begun = this.#call === "open" ? [] : this.#begin();
    this.#call = "closed";
    this.hasUsage = true;
    return [...begun, usage, { kind: "callDone" }];
  }

  #begin(): Signal[] {
    this.#call = "open";
    return [{ kind: "call", ...omitUndefined({ model: this.#told.model }) }];
  }
}
