import { number, type Payload } from "../translator.ts";
import type { ZotEvent } from "./zot-events.ts";

/** Tokens and cost as zot counts them: `input` leaves out what was read from the cache or written to it. */
interface Amounts {
  cache_read: number;
  cache_write: number;
  cost_usd: number;
  input: number;
  output: number;
  reasoning: number;
}

const nothing: Amounts = { cache_read: 0, cache_write: 0, cost_usd: 0, input: 0, output: 0, reasoning: 0 };

/** What a run used, as `usage` events: each has the amounts of one model call and those of the run so far. */
export interface Usage {
  /** The tokens of a model call. They wait for the total that often follows them. */
  call(data: Payload): void;
  /** The total so far. */
  total(data: Payload): ZotEvent[];
  /** What still waits. */
  flush(): ZotEvent[];
}

export function createUsage(): Usage {
  let sum = nothing;
  let waiting: Amounts | undefined;

  const event = (call: Amounts, now: Amounts): ZotEvent[] => {
    sum = now;
    waiting = undefined;
    return [{ ...written(call), cumulative: written(now), type: "usage" }].map(inOrder);
  };

  function flush(): ZotEvent[] {
    return waiting ? event(waiting, plus(sum, waiting, 1)) : [];
  }

  return {
    call(data) {
      const cached = count(data, "cached_input_tokens");
      waiting = {
        ...nothing,
        cache_read: cached,
        input: Math.max(0, count(data, "input_tokens") - cached),
        output: count(data, "output_tokens"),
        reasoning: count(data, "thinking_tokens"),
      };
    },
    total(data) {
      const now = amountsOf(data, sum.reasoning + (waiting?.reasoning ?? 0));
      const since = plus(now, sum, -1);
      if (!waiting) return Object.values(since).some((amount) => amount > 0) ? event(since, now) : [];
      // The tokens of a call do not tell how many of its input were written to the cache.
      const { cache_write, cost_usd } = since;
      return event({ ...waiting, cache_write, cost_usd, input: Math.max(0, waiting.input - cache_write) }, now);
    },
    flush,
  };
}

const count = (data: Payload, name: string): number => number(data, name) ?? 0;

/** `reasoning` is what was reported before, because few agents repeat it in their totals. */
function amountsOf(data: Payload, reasoning: number): Amounts {
  const [cache_read, cache_write] = [
    count(data, "cumulative_cached_input_tokens"),
    count(data, "cumulative_cache_write_tokens"),
  ];
  return {
    cache_read,
    cache_write,
    cost_usd: number(data, "total_usd") ?? count(data, "cumulative_cost_micros_usd") / 1_000_000,
    input: Math.max(0, count(data, "cumulative_input_tokens") - cache_read - cache_write),
    output: count(data, "cumulative_output_tokens"),
    reasoning: number(data, "cumulative_thinking_tokens") ?? reasoning,
  };
}

/** Adds or subtracts. No amount becomes negative, and fractions of a dollar keep nine digits. */
function plus(a: Amounts, b: Amounts, sign: 1 | -1): Amounts {
  const of = (name: keyof Amounts): number => Math.max(0, Number((a[name] + sign * b[name]).toFixed(9)));
  return {
    cache_read: of("cache_read"),
    cache_write: of("cache_write"),
    cost_usd: of("cost_usd"),
    input: of("input"),
    output: of("output"),
    reasoning: of("reasoning"),
  };
}

/** Older versions of zot do not know `reasoning`, so it is left out unless there is any. */
function written({ reasoning, ...amounts }: Amounts): Record<string, number> {
  return reasoning > 0 ? { ...amounts, reasoning } : amounts;
}

const inOrder = (event: ZotEvent): ZotEvent =>
  Object.fromEntries(Object.entries(event).sort(([a], [b]) => (a < b ? -1 : 1))) as ZotEvent;
