import type { CostRecord } from "@spoor/protocol";
import { asCount, asNumber, asObject, type Json } from "../../json-machine.ts";
import type { Signal } from "../../signal.ts";

const kinds = ["input", "output", "cacheRead", "cacheWrite", "reasoning"] as const;
type Amounts = Record<(typeof kinds)[number] | "usd", number>;

const none: Amounts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, usd: 0 };

/** What the run's model calls used, and cost where the agent states it. */
export class Ledger {
  /** Tokens of the last call: about what is in the context. */
  lastTokens = 0;
  #total = none;

  /** Books one call. Of its cost, and the run's so far, nothing is said where no dollars are stated. */
  add(usage: Json): { signals: Signal[]; cost?: CostRecord } {
    const usd = asNumber(asObject(usage.cost)?.total);
    const call: Amounts = { ...none, usd: Math.max(0, usd ?? 0) };
    for (const kind of kinds) call[kind] = asCount(usage[kind]) ?? 0;
    const cost = recordOf(call);
    const { inputTokens, outputTokens, cachedTokens = 0, thinkingTokens } = cost;
    // A call that failed before its first token has used nothing.
    if (inputTokens + outputTokens === 0) return { signals: [] };
    this.lastTokens = inputTokens + outputTokens;
    const tokens = { inputTokens, outputTokens, cachedTokens, ...(thinkingTokens && { thinkingTokens }) };
    if (usd === undefined) return { signals: [{ kind: "usage", usage: tokens }] };
    const total: Amounts = { ...none, usd: this.#total.usd + call.usd };
    for (const kind of kinds) total[kind] = this.#total[kind] + call[kind];
    this.#total = total;
    const signals: Signal[] = [
      { kind: "usage", usage: tokens },
      { kind: "cost", cost: recordOf(total) },
    ];
    return { signals, cost };
  }

  /** Another run begins. */
  reset(): void {
    this.#total = none;
  }
}

const recordOf = ({ input, output, cacheRead, cacheWrite, reasoning, usd }: Amounts): CostRecord => ({
  totalUsd: usd,
  inputTokens: input + cacheRead + cacheWrite,
  outputTokens: output,
  cachedTokens: cacheRead,
  cacheWriteTokens: cacheWrite,
  ...(reasoning > 0 && { thinkingTokens: reasoning }),
  source: "agent_reported",
});
