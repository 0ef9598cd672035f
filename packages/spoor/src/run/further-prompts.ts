import type { AgentEvent } from "@spoor/protocol";
import type { SafeObserver } from "./observer.ts";
import { type FurtherPrompt, type PromptMoment, PromptQueue } from "./prompt-queue.ts";

/** Gives further prompts to the agent at their moment, and in a recorded run only after they are stored. */
export class FurtherPrompts {
  readonly #queue = new PromptQueue((further) => this.#give(further));
  readonly #observer: SafeObserver | undefined;
  readonly #follow: (prompt: string) => void;
  /** How many prompts are being stored. The agent gets them although its current prompt may be done meanwhile. */
  #storing = 0;
  #last: Promise<void> = Promise.resolve();
  #isCleared = false;

  constructor(observer: SafeObserver | undefined, follow: (prompt: string) => void) {
    this.#observer = observer;
    this.#follow = follow;
  }

  add(further: FurtherPrompt, when: PromptMoment): void {
    this.#queue.add(further, when);
  }

  onEvent(event: AgentEvent): void {
    this.#queue.onEvent(event);
  }

  /** The agent is done with its prompt. Returns false if no other prompt follows. */
  giveNext(): boolean {
    return this.#storing > 0 || this.#queue.giveNext();
  }

  /** The run is being interrupted: prompts that the agent has not received are dropped. */
  clear(): void {
    this.#isCleared = true;
    this.#queue.clear();
  }

  #give({ prompt, via }: FurtherPrompt): void {
    this.#observer?.onUserInput({ via, text: prompt });
    const written = this.#observer?.written?.();
    if (!written) {
      this.#follow(prompt);
      return;
    }
    this.#storing += 1;
    this.#last = this.#last
      .then(() => written)
      .then(() => {
        this.#storing -= 1;
        if (!this.#isCleared) this.#follow(prompt);
      });
  }
}
