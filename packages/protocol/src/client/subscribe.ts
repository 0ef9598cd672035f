import type { Granularity } from "../api/values.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { type AllFilters, type AllStart, allSource, runSource, type Source } from "./event-source.ts";
import { follow, type SubscriptionState } from "./follow-stream.ts";
import type { Connector } from "./http.ts";
import { createScope, type Scope, type Signal } from "./web-platform.ts";

/** Events as they come, each once and in order. Iterating starts it; it is iterated once, and leaving the loop ends it. */
export interface Subscription<Item> extends AsyncIterable<Item> {
  /**
   * Place of the item handed out last, to be given as `after` to go on from there: a sequence, or a position when all
   * runs are followed. Before the first item it is where reading begins, once the server has said so.
   */
  readonly cursor: number;
  /** Ends the iteration without an error, from wherever. */
  close(): void;
}

export interface FollowingOptions {
  /** Only what comes after this place; absent or -1: from the start. */
  after?: number | undefined;
  /** When it is aborted the iteration throws its reason. */
  signal?: Signal | undefined;
  onState?: ((state: SubscriptionState) => void) | undefined;
  /** Gives up after so many connections in a row that brought nothing; never when absent. */
  maxFailures?: number | undefined;
}

export interface EnvelopeOptions extends FollowingOptions {
  as?: "envelopes";
  granularity?: Granularity | undefined;
}

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
  let handedOut: number | undefined;

  async function* iterate(): AsyncGenerator<Envelope, void> {
    const { onState = () => {}, maxFailures = Number.POSITIVE_INFINITY } = options;
    let failure: { error?: unknown } = {};
    scope = createScope(options.signal);
    if (closed) scope.end();
    try {
      const { signal } = scope;
      for await (const batch of follow(connector, source, { signal, onState, maxFailures })) {
        for (const { place, envelope } of batch) {
          if (signal.aborted) throw signal.reason;
          handedOut = place;
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
      return handedOut ?? source.start;
    },
    close() {
      closed = true;
      scope?.end();
    },
  };
}
