import type { CostRecord } from "@spoor/protocol";
import { asCount, asNumber, asObject, type Json } from "../json-machine.ts";
import type { Signal } from "../signal.ts";

const names = ["input", "output", "cache_read", "cache_write", "reasoning", "cost_usd"] as const;
type Amounts = Readonly<Record<(typeof names)[number], number>>;

/** What was used: of a call, and of the process so far, of which a run that began later has only its part. */
export class Spending {
  /** What the last model call cost. */
  last: CostRecord | undefined;
  #process = amountsOf({});
  #before = amountsOf({});

  read(frame: Json): Signal[] {
    const call = recordOf(amountsOf(frame));
    const { inputTokens, outputTokens, cachedTokens = 0, thinkingTokens } = call;
    // Tools that ask a model themselves are none of the turn's calls.
    if (frame.auxiliary !== true) this.last = call;
    const usage = { inputTokens, outputTokens, cachedTokens, ...(thinkingTokens && { thinkingTokens }) };
    const cumulative = asObject(frame.cumulative);
    if (!cumulative) return [{ kind: "usage", usage }];
    this.#process = amountsOf(cumulative);
    return [
      { kind: "usage", usage },
      { kind: "cost", cost: recordOf(minus(this.#process, this.#before)) },
    ];
  }

  /** Another run begins. */
  restart(): void {
    this.#before = this.#process;
  }
}

const amountsOf = (usage: Json): Amounts => {
  const [input = 0, output = 0, cache_read = 0, cache_write = 0, reasoning = 0] = names.map((name) =>
    asCount(usage[name]),
  );
  return { input, output, cache_read, cache_write, reasoning, cost_usd: Math.max(0, asNumber(usage.cost_usd) ?? 0) };
};

const minus = (amounts: Amounts, others: Amounts): Amounts =>
  Object.fromEntries(names.map((name) => [name, Math.max(0, amounts[name] - others[name])])) as Amounts;

const recordOf = ({ input, output, cache_read, cache_write, reasoning, cost_usd }: Amounts): CostRecord => ({
  totalUsd: cost_usd,
  inputTokens: input + cache_read + cache_write,
  outputTokens: output,
  cachedTokens: cache_read,
  cacheWriteTokens: cache_write,
  ...(reasoning > 0 && { thinkingTokens: reasoning }),
  source: "agent_reported",
});
