import type { Granularity } from "../api/values.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { type AllFilters, type AllStart, allSource, runSource, type Source } from "./event-source.ts";
import { follow, type SubscriptionState } from "./follow-stream.ts";
import type { Connector } from "./http.ts";
import { type CancelSignal, createScope, type Scope } from "./web-platform.ts";

/**
 * Yields events, each once and in order. Iterating starts the subscription, and leaving the loop ends it. It can be iterated
 * once.
 */
export interface Subscription<Item> extends AsyncIterable<Item> {
  /**
   * The sequence of the last yielded item, or its position when all runs are followed. Pass it as `after` to continue from
   * there. Before the first item it is the start, as soon as the server has sent it.
   */
  readonly cursor: number;
  /** Ends the iteration without an error. May be called anywhere. */
  close(): void;
}

/** Options of every subscription. */
export interface FollowingOptions {
  /** Only events after this cursor; absent or -1 for all. */
  after?: number | undefined;
  /** When the signal is aborted, the iteration throws its reason. */
  signal?: CancelSignal | undefined;
  /** Called whenever the state of the subscription changes. */
  onState?: ((state: SubscriptionState) => void) | undefined;
  /** Fail after this many connections in a row that delivered nothing; never when absent. */
  maxFailures?: number | undefined;
}

/** Options to receive a run as envelopes. */
export interface EnvelopeOptions extends FollowingOptions {
  as?: "envelopes";
  granularity?: Granularity | undefined;
}

/** Options to receive the events of all runs. */
export interface AllOptions extends FollowingOptions, AllStart {
  as?: "envelopes";
}

export const subscribeToRun = (connector: Connector, runId: string, options: EnvelopeOptions): Subscription<Envelope> =>
  subscription(connector, runSource(runId, options), options);

export const subscribeToAll = (
  connector: Connector,
  filters: AllFilters,
  options: AllOptions,
): Subscription<Envelope> => subscription(connector, allSource(filters, options), options);

function subscription(connector: Connector, source: Source, options: FollowingOptions): Subscription<Envelope> {
  let scope: Scope | undefined;
  let closed = false;
  let yielded: number | undefined;

  async function* iterate(): AsyncGenerator<Envelope, void> {
    const { onState = () => {}, maxFailures = Number.POSITIVE_INFINITY } = options;
    let failure: { error?: unknown } = {};
    scope = createScope(options.signal);
    if (closed) scope.end();
    try {
      const { signal } = scope;
      for await (const batch of follow(connector, source, { signal, onState, maxFailures })) {
        for (const { cursor, envelope } of batch) {
          if (signal.aborted) throw signal.reason;
          yielded = cursor;
          yield envelope;
        }
      }
    } catch (error) {
      if (closed) return;
      failure = { error };
      throw error;
    } finally {
      scope.end();
      onState({ state: "ended", ...failure });
    }
  }

  const iterator = iterate();
  return {
    [Symbol.asyncIterator]: () => iterator,
    get cursor() {
      return yielded ?? source.start;
    },
    close() {
      closed = true;
      scope?.end();
    },
  };
}
