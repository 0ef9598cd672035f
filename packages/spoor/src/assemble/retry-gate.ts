import type { CostRecord } from "@spoor/protocol";
import type { Failure } from "../agents/kit/failures.ts";
import type { Signal } from "../agents/signal.ts";
import { modelActivity } from "./model-activity.ts";

/** Decides whether a failure is retried, given the number of retries so far. */
export type IsRetried = (failure: Failure, retries: number) => boolean;

/**
 * Sits between the signals of an agent and the assembler, and makes one run of several attempts: it holds back a failure
 * that will be retried, hides the sessions that later attempts open, keeps ids unique over all attempts, and adds up their
 * costs.
 */
export class RetryGate {
  /** The failure that will be retried. The attempt is over when this is still set as the prompt or the process ends. */
  held: Failure | undefined;
  /** The agent's own id of its current session. */
  sessionId: string | undefined;
  retries = 0;
  readonly #isRetried: IsRetried | undefined;
  /** Cost of the attempts before this one, and of all attempts so far. */
  #earlierCost: CostRecord | undefined;
  #cost: CostRecord | undefined;
  /** Sessions that later attempts opened. In the events they have the id of the first session. */
  readonly #laterSessions = new Set<string>();
  #hasSession = false;

  /** Without `isRetried`, all signals pass unchanged. */
  constructor(isRetried?: IsRetried) {
    this.#isRetried = isRetried;
  }

  /** Returns the signals that the assembler gets. */
  pass(signals: readonly Signal[]): readonly Signal[] {
    if (this.#isRetried === undefined) {
      for (const signal of signals) if (signal.kind === "session") this.sessionId = signal.id ?? this.sessionId;
      return signals;
    }
    return signals.flatMap((signal) => (signal.child === undefined ? this.#passOne(signal) : [this.#renamed(signal)]));
  }

  nextAttempt(): void {
    this.retries += 1;
    this.held = undefined;
    this.#hasSession = false;
    this.#earlierCost = this.#cost;
  }

  #passOne(signal: Signal): Signal[] {
    if (signal.kind === "fail" && this.#isRetried?.(signal.event, this.retries)) {
      this.held ??= signal.event;
      return [];
    }
    if (this.held && signal.kind === "promptDone") return [];
    if (this.held && modelActivity.has(signal.kind)) {
      // The failure did not end the attempt; the assembler reports it as recoverable.
      const event = this.held;
      this.held = undefined;
      return [{ kind: "fail", event }, this.#renamed(signal)];
    }
    if (signal.kind === "session") return this.#session(signal);
    // The first attempt reported what was loaded.
    if (signal.kind === "startup" && this.retries > 0) return [{ kind: "note", message: JSON.stringify(signal.fact) }];
    if (signal.kind === "cost") {
      this.#cost = this.#earlierCost ? sum(this.#earlierCost, signal.cost) : signal.cost;
      return [{ ...signal, cost: this.#cost }];
    }
    return [this.#renamed(signal)];
  }

  #session(signal: Extract<Signal, { kind: "session" }>): Signal[] {
    const { id } = signal;
    this.sessionId = id ?? this.sessionId;
    if (this.retries === 0) return [signal];
    const isFirst = !this.#hasSession;
    this.#hasSession = true;
    if (id === undefined || this.#laterSessions.has(id)) return [];
    if (!isFirst) return [signal];
    this.#laterSessions.add(id);
    return [{ kind: "note", level: "info", message: `The agent's session is ${id}.` }];
  }

  /** Attempts may use the same ids for their messages and calls, so those of later attempts get the attempt's number. */
  #renamed(signal: Signal): Signal {
    if (this.retries === 0) return signal;
    const rename = (name: string): string => `${name}#${this.retries + 1}`;
    const child = signal.child === undefined ? {} : { child: rename(signal.child) };
    if ("key" in signal) return { ...signal, ...child, key: rename(signal.key) };
    if (signal.kind === "ask" && signal.tool) {
      return { ...signal, ...child, tool: { ...signal.tool, id: rename(signal.tool.id) } };
    }
    if (kindsWithId.has(signal.kind) && "id" in signal && signal.id !== undefined) {
      return { ...signal, ...child, id: rename(signal.id) } as Signal;
    }
    return { ...signal, ...child };
  }
}

const kindsWithId = new Set<Signal["kind"]>([
  ...(["toolStart", "toolInput", "toolReady", "shell", "output", "toolEnd", "spawn", "spawnEnd"] as const),
]);

function sum(one: CostRecord, other: CostRecord): CostRecord {
  const { thinkingTokens, cachedTokens } = one;
  return {
    ...other,
    totalUsd: one.totalUsd + other.totalUsd,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    ...(thinkingTokens !== undefined && { thinkingTokens: thinkingTokens + (other.thinkingTokens ?? 0) }),
    ...(cachedTokens !== undefined && { cachedTokens: cachedTokens + (other.cachedTokens ?? 0) }),
  };
}
