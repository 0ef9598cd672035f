import type { AgentEvent } from "@spoor/protocol";
import { type Estimate, loadPrices } from "../assemble/prices.ts";
import type { AttemptSetup } from "./run-setup.ts";

/** Facts about a run that take time to load. They are loaded while the agent starts, and its output waits for them. */
export class LateFacts {
  prices: Estimate | undefined;
  /** Turns that the session had before this run. */
  priorTurns: number | undefined;
  readonly #setup: AttemptSetup;
  #loading: Promise<Estimate> | undefined;
  #isInterrupted = false;

  constructor(setup: AttemptSetup) {
    this.#setup = setup;
  }

  async load(): Promise<void> {
    const { dialect, budget } = this.#setup;
    const [priorTurns] = await Promise.all([
      this.priorTurns ?? this.#countPriorTurns(),
      dialect.tokensOnly || budget ? this.loadPrices() : undefined,
    ]);
    this.priorTurns = priorTurns;
  }

  /**
   * Loads the list prices at the first call of a run that reports its cost itself: it has several turns, and its report may
   * come after the last of them. Its tokens may come together with the end of the turn, which would be too late to load
   * anything. Undefined if nothing needs to be loaded.
   */
  onEvents(events: readonly AgentEvent[]): Promise<void> | undefined {
    const calls = events.some(({ type }) => type === "tool_call_start" || type === "mcp_tool_call_start");
    return (calls || this.#isInterrupted) && !this.prices ? this.loadPrices() : undefined;
  }

  /** An agent that is interrupted may never report its cost, so its tokens are priced. */
  onInterrupt(): void {
    this.#isInterrupted = true;
    // If the prices cannot be loaded, the reading of the next output fails with the reason.
    this.loadPrices().catch(() => {});
  }

  async loadPrices(): Promise<void> {
    this.#loading ??= loadPrices();
    this.prices = await this.#loading;
  }

  async #countPriorTurns(): Promise<number | undefined> {
    const { adapter, request, environment, set } = this.#setup;
    if (request.resume === undefined || !adapter.sessions) return undefined;
    const { priorTurnsIn } = await import("../inventory/sessions/prior-turns.ts");
    return priorTurnsIn(adapter, request.resume, { env: { ...environment, ...set }, cwd: request.cwd });
  }
}
