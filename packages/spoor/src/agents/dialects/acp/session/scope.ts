import { omitUndefined } from "../../../kit/omit-undefined.ts";
import { readySignals, type ToolCall } from "../../../kit/tool-calls.ts";
import type { Signal, ToolEnd } from "../../../signal.ts";

type Speech = { kind: "text" | "thinking"; messageId: string | undefined; key: string };

/**
 * Finds model calls and messages in the output of one run or one subagent. ACP reports neither. A model call begins
 * with output after all tools have ended, or with text after the last call's usage. A message ends where another kind
 * of output or another message id begins.
 */
export class Scope {
  /** Set for a subagent: the id of the call that spawned it. */
  readonly child: string | undefined;
  /** Whether usage was reported since the prompt. */
  hasUsage = false;
  readonly #reported: { readonly model: string | undefined };
  readonly #tools = new Set<string>();
  /** A model call is `closed` once its usage was reported. No more text follows, but its tools may still come. */
  #call: "first" | "due" | "open" | "closed" = "first";
  #speech: Speech | undefined;
  #speeches = 0;

  constructor(reported: { readonly model: string | undefined }, child?: string) {
    this.#reported = reported;
    this.child = child;
  }

  prompted(): void {
    this.callAgain();
    this.#tools.clear();
    this.#call = "first";
    this.hasUsage = false;
  }

  /** The agent has produced no output since the prompt. */
  get hasNoOutput(): boolean {
    return this.#call === "first";
  }

  /** The model is called again. */
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

  /** The model made a tool call. `isLater`: it belongs to the same model call as the one before. */
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

  /** A call that begins and ends at once, for actions that the agent does not report as tool calls. */
  wholeCall(call: ToolCall, end: Partial<ToolEnd> = {}, ran = readySignals(call)): Signal[] {
    const begun = this.toolBegins(call.id);
    this.toolEnds(call.id);
    return [...begun, ...ran, { kind: "toolEnd", id: call.id, output: null, ...end }];
  }

  /** The usage of a model call. The call is over, and is reported even if it had no other output. */
  used(usage: Extract<Signal, { kind: "usage" }>): Signal[] {
    const begun = this.#call === "open" ? [] : this.#begin();
    this.#call = "closed";
    this.hasUsage = true;
    return [...begun, usage, { kind: "callDone" }];
  }

  #begin(): Signal[] {
    this.#call = "open";
    return [{ kind: "call", ...omitUndefined({ model: this.#reported.model }) }];
  }
}
