import { delayAfter } from "./back-off.ts";
import { connectorOf, type SpoorClientOptions } from "./connector.ts";
import { clientError, SpoorClientError } from "./errors.ts";
import { type Connector, messageOf, send, tokenOf } from "./http.ts";
import { type HubConnection, openConnection } from "./hub-connection.ts";
import { type HubState, stopReason } from "./hub-state.ts";
import type { HubReader, HubSelection } from "./hub-subscription.ts";
import { createSubscriptions } from "./hub-subscriptions.ts";
import { createScope, type OpenSocket, platformSocket } from "./web-platform.ts";

export interface EventHubOptions extends SpoorClientOptions {
  /** Opens a WebSocket; the platform's own when absent. */
  openSocket?: OpenSocket | undefined;
}

/** Follows many runs over one WebSocket. */
export interface EventHub {
  /** Delivers the events of a selection to a reader, from its start on, over as many connections as needed. */
  follow(selection: HubSelection, reader: HubReader): HubSubscription;
  readonly state: HubState;
  /** Calls the listener after each change of the state. Returns a function that removes it. */
  watch(listener: () => void): () => void;
  /** Connects at once instead of waiting, also after `logged_out`. A connection that seems to live is checked. */
  connectNow(): void;
  /** Replaces the connection at once, for example because the network changed. */
  reconnect(): void;
  close(): void;
}

export interface HubSubscription {
  /** The sequence, or position when all runs are followed, up to which everything was delivered. */
  readonly cursor: number;
  close(): void;
}

/**
 * Creates a hub: one connection that carries many subscriptions. When it breaks, the hub connects again and each
 * subscription continues after its cursor, so that every event is delivered once and in order. `url` must be absolute.
 *
 * @example
 * ```ts
 * import { createEventHub } from "@spoor/protocol/client";
 *
 * const hub = createEventHub({ url: "http://127.0.0.1:8765", token: "…" });
 * hub.follow({ all: true, from: "now" }, { events: (envelopes) => console.log(envelopes.length) });
 * hub.watch(() => console.log(hub.state));
 * ```
 */
export function createEventHub(options: EventHubOptions): EventHub {
  const connector = connectorOf(options);
  const { clock, backOff } = connector;
  const life = createScope();
  const listeners = new Set<() => void>();
  const subscriptions = createSubscriptions((failures, work) => {
    void clock.sleep(delayAfter(failures, backOff, clock.random()), life.signal).then(work);
  });
  let state: HubState = { state: "connecting" };
  let connection: HubConnection | undefined;
  let isLive = false;
  let brokenAt = clock.now();
  let hasBeenLive = false;
  let isRunning = false;
  let isHurried = false;
  let wakeUp = () => {};

  function set(next: HubState): void {
    state = next;
    for (const listener of [...listeners]) listener();
  }

  async function run(): Promise<void> {
    for (let failures = 0; !life.signal.aborted; ) {
      const problem = await connectOnce();
      if (life.signal.aborted) return;
      failures = isLive ? 0 : failures + 1;
      if (isLive) brokenAt = clock.now();
      isLive = false;
      const why = stopReason(problem);
      if (why) {
        set({ state: "stopped", why });
        await pause(Number.POSITIVE_INFINITY);
      } else {
        const jittered = delayAfter(Math.max(failures, 1), backOff, clock.random());
        const delayMs = isHurried ? 0 : Math.max(jittered, problem.retryAfterMs ?? 0);
        isHurried = false;
        set({ state: "waiting", since: brokenAt, nextAt: clock.now() + delayMs, failures, code: problem.code });
        await pause(delayMs);
      }
    }
  }

  /** Waits until the time is over, or until somebody wants to connect now. */
  async function pause(ms: number): Promise<void> {
    const scope = createScope(life.signal);
    wakeUp = scope.end;
    const until = clock.now() + ms;
    // The platform's timers have a maximum, so a long one ends early.
    while (!scope.signal.aborted && clock.now() < until) await clock.sleep(until - clock.now(), scope.signal);
    wakeUp = () => {};
    scope.end();
  }

  /** Opens a connection and resolves when it is over, with the reason. */
  async function connectOnce(): Promise<SpoorClientError> {
    let wasOpen = false;
    try {
      const how = { open: options.openSocket ?? platformSocket, token: await tokenOf(connector) };
      const current = openConnection(connector, how, {
        opened() {
          wasOpen = true;
          subscriptions.begin(current.send);
          // The first answer shows that the connection works, also without any subscription.
          current.check(connector.staleAfterMs);
        },
        received(message) {
          if (!isLive) becomeLive();
          subscriptions.receive(message);
        },
      });
      connection = current;
      if (life.signal.aborted) current.close();
      const problem = await current.ended;
      return wasOpen ? problem : await refusal(connector);
    } catch (error) {
      if (error instanceof SpoorClientError) return error;
      return clientError("network", `No connection to ${connector.url}: ${messageOf(error)}`, error);
    } finally {
      connection = undefined;
      subscriptions.pause();
    }
  }

  function becomeLive(): void {
    isLive = true;
    set({ state: "live" });
    if (hasBeenLive) {
      subscriptions.count((caughtUp) =>
        set({ state: "live", caughtUp: { ...caughtUp, since: brokenAt, at: clock.now() } }),
      );
    }
    hasBeenLive = true;
  }

  return {
    follow(selection, reader) {
      const following = subscriptions.add(selection, reader);
      if (!isRunning) void run();
      isRunning = true;
      return {
        get cursor() {
          return following.cursor;
        },
        close: () => subscriptions.remove(following),
      };
    },
    get state() {
      return state;
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    connectNow() {
      connection?.check();
      wakeUp();
    },
    reconnect() {
      isHurried = connection !== undefined;
      connection?.close();
      wakeUp();
    },
    close() {
      life.end();
      connection?.close();
    },
  };
}

/** A browser does not tell why a WebSocket was refused. A request to the same server does. */
async function refusal(connector: Connector): Promise<SpoorClientError> {
  const scope = createScope();
  try {
    void connector.clock.sleep(connector.staleAfterMs, scope.signal).then(() => scope.abort());
    await send(connector, { path: "/v1/runs", query: { limit: 1 }, accept: "application/json", signal: scope.signal });
    return clientError("closed", "The server answers, but the WebSocket was closed before it was open.");
  } catch (error) {
    return error instanceof SpoorClientError ? error : clientError("network", messageOf(error), error);
  } finally {
    scope.end();
  }
}
