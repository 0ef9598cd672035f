import { omitUndefined } from "../../kit/omit-undefined.ts";
import type { Signal } from "../../signal.ts";

/**
 * Finds where model calls begin, which neither dialect reports. The app server reports the tokens of every call, so the
 * next output belongs to another call. `exec` reports nothing, so output after the last open tool has ended counts as
 * another call.
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

  /** The next output belongs to another call. */
  expect(): void {
    this.#isDue = true;
  }

  /** All earlier calls are over: a prompt begins, or a call is retried. */
  reset(): void {
    this.#open.clear();
    this.#isDue = true;
  }

  /**
   * The model produces output. While a command still runs in the background, the call joins the open turn: a new turn
   * would end the command before its exit code is known.
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
