import { type Estimate, loadPrices } from "../assemble/prices.ts";
import type { AttemptSetup } from "./run-setup.ts";

/** Facts about a run that take time to load. They are loaded while the agent starts, and its output waits for them. */
export class LateFacts {
  prices: Estimate | undefined;
  /** Turns that the session had before this run. */
  priorTurns: number | undefined;
  readonly #setup: AttemptSetup;

  constructor(setup: AttemptSetup) {
    this.#setup = setup;
  }

  async load(): Promise<void> {
    const [prices, priorTurns] = await Promise.all([
      this.#setup.dialect.tokensOnly ? (this.prices ?? loadPrices()) : undefined,
      this.priorTurns ?? this.#countPriorTurns(),
    ]);
    this.prices = prices;
    this.priorTurns = priorTurns;
  }

  async #countPriorTurns(): Promise<number | undefined> {
    const { adapter, request, environment, set } = this.#setup;
    if (request.resume === undefined || !adapter.sessions) return undefined;
    const { priorTurnsIn } = await import("../inventory/sessions/prior-turns.ts");
    return priorTurnsIn(adapter, request.resume, { env: { ...environment, ...set }, cwd: request.cwd });
  }
}
