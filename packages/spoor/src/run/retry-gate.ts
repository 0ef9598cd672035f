import type { CostRecord } from "@spoor/protocol";
import type { Signal } from "../agents/signal.ts";
import { goesOn } from "../assemble/model-activity.ts";
import type { RetryPolicy } from "../options/retry-policy.ts";
import { codeOf, type Failure } from "./retry.ts";

/**
 * Stands between an agent's signals and the assembler, and makes several tries one run: a failure that will be tried
 * again is held back, a later try opens no session of its own, and its names and costs go on from those before.
 */
export class RetryGate {
  /** The failure to try again after; the attempt is over when it is held at the prompt's end or the process's. */
  held: Failure | undefined;
  /** The agent's own name of the session it is in. */
  sessionId: string | undefined;
  retries = 0;
  readonly #policy: RetryPolicy | undefined;
  readonly #isRepeatable: () => boolean;
  /** What the attempts before cost, and this one so far. */
  #earlier: CostRecord | undefined;
  #cost: CostRecord | undefined;
  /** Sessions that later attempts opened: known to the reader under the first one's name. */
  readonly #aliases = new Set<string>();
  #named = false;

  constructor(policy: RetryPolicy | undefined, isRepeatable: () => boolean) {
    this.#policy = policy;
    this.#isRepeatable = isRepeatable;
  }

  /** What of it goes on to the assembler. */
  pass(signals: readonly Signal[]): readonly Signal[] {
    if (this.#policy === undefined) {
      for (const signal of signals) if (signal.kind === "session") this.sessionId = signal.id ?? this.sessionId;
      return signals;
    }
    return signals.flatMap((signal) => (signal.child === undefined ? this.#passOne(signal) : [this.#renamed(signal)]));
  }

  /** The next attempt begins. */
  again(): void {
    this.retries += 1;
    this.held = undefined;
    this.#named = false;
    this.#earlier = this.#cost;
  }

  #passOne(signal: Signal): Signal[] {
    if (signal.kind === "fail" && this.#isRetried(signal.event)) {
      this.held ??= signal.event;
      return [];
    }
    if (this.held && signal.kind === "promptDone") return [];
    if (this.held && goesOn.has(signal.kind)) {
      // It was none that ends the run: the assembler says so.
      const event = this.held;
      this.held = undefined;
      return [{ kind: "fail", event }, this.#renamed(signal)];
    }
    if (signal.kind === "session") return this.#session(signal);
    // It was told what the first attempt loaded.
    if (signal.kind === "startup" && this.retries > 0) return [{ kind: "note", message: JSON.stringify(signal.fact) }];
    if (signal.kind === "cost") {
      this.#cost = this.#earlier ? added(this.#earlier, signal.cost) : signal.cost;
      return [{ ...signal, cost: this.#cost }];
    }
    return [this.#renamed(signal)];
  }

  #isRetried(failure: Failure): boolean {
    const code = codeOf(failure);
    const { maxAttempts = 0, retryOn = [] } = this.#policy ?? {};
    return code !== undefined && this.retries < maxAttempts && retryOn.includes(code) && this.#isRepeatable();
  }

  #session(signal: Extract<Signal, { kind: "session" }>): Signal[] {
    const { id } = signal;
    this.sessionId = id ?? this.sessionId;
    if (this.retries === 0) return [signal];
    const isFirst = !this.#named;
    this.#named = true;
    if (id === undefined || this.#aliases.has(id)) return [];
    if (!isFirst) return [signal];
    this.#aliases.add(id);
    return [{ kind: "note", level: "info", message: `The agent's session is ${id}.` }];
  }

  /** Every attempt may count its messages and calls from the start; in the run they are others. */
  #renamed(signal: Signal): Signal {
    if (this.retries === 0) return signal;
    const rename = (name: string): string => `${name}#${this.retries + 1}`;
    const child = signal.child === undefined ? {} : { child: rename(signal.child) };
    if ("key" in signal) return { ...signal, ...child, key: rename(signal.key) };
    if (signal.kind === "ask" && signal.tool) {
      return { ...signal, ...child, tool: { ...signal.tool, id: rename(signal.tool.id) } };
    }
    if (named.has(signal.kind) && "id" in signal && signal.id !== undefined) {
      return { ...signal, ...child, id: rename(signal.id) } as Signal;
    }
    return { ...signal, ...child };
  }
}

const named = new Set<Signal["kind"]>([
  ...(["toolStart", "toolInput", "toolReady", "shell", "output", "toolEnd", "spawn", "spawnEnd"] as const),
]);

function added(one: CostRecord, other: CostRecord): CostRecord {
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
