import { omitUndefined } from "../../kit/omit-undefined.ts";
import type { Signal } from "../../signal.ts";

/**
 * Where model calls begin, which neither wire says. The app server tells the tokens of every call, so that the next
 * output is another call's; `exec` tells nothing, so that output after the last open tool ended is taken for one.
 */
export class ModelCalls {
  model: string | undefined;
  provider: string | undefined;
  readonly #isInferred: boolean;
  readonly #open = new Set<string>();
  #isDue = true;

  constructor(isInferred: boolean) {
    this.#isInferred = isInferred;
  }

  /** The next output is of another call. */
  expect(): void {
    this.#isDue = true;
  }

  /** Whatever ran before is over: a prompt begins, or a call is tried again. */
  reset(): void {
    this.#open.clear();
    this.#isDue = true;
  }

  /**
   * The model puts something out. While a command still runs in the background the call joins the open turn: the next
   * turn would cut the command off before its exit code is known.
   */
  output(): Signal[] {
    if (!this.#isDue) return [];
    this.#isDue = false;
    if (this.#open.size > 0) return [];
    const { model, provider } = this;
    return [{ kind: "call", ...omitUndefined({ model, provider }) }];
  }

  toolStarted(id: string): Signal[] {
    const begun = this.#open.has(id) ? [] : this.output();
    this.#open.add(id);
    return begun;
  }

  toolEnded(id: string): void {
    this.#open.delete(id);
    if (this.#isInferred && this.#open.size === 0) this.#isDue = true;
  }
}
