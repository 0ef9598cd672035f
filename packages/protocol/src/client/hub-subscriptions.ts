import type { ServerMessage } from "../api/websocket.ts";
import { SpoorClientError } from "./errors.ts";
import { stopReason } from "./hub-state.ts";
import { createFollowing, type Following, type HubReader, type HubSelection } from "./hub-subscription.ts";

/** The subscriptions of a hub. They outlive its connections. */
export interface HubSubscriptions {
  add(selection: HubSelection, reader: HubReader): Following;
  remove(following: Following): void;
  /** Begins every subscription on a new connection. */
  begin(send: (message: object) => void): void;
  /** The connection is over: nothing can be sent until the next `begin`. */
  pause(): void;
  /** Counts what comes in from now on, until every subscription has caught up. */
  count(done: (caughtUp: { events: number; gap: boolean }) => void): void;
  /** Gives a message to its subscription. Throws what ends the whole connection. */
  receive(message: ServerMessage): void;
}

/** Missing events may arrive with the next attempt. After this many broken attempts in a row a subscription fails. */
const MAX_BROKEN = 5;

interface Counting {
  events: number;
  gap: boolean;
  readonly behind: Set<Following>;
  readonly done: (caughtUp: { events: number; gap: boolean }) => void;
}

/** `later` runs the work after the back-off for that many failures in a row. */
export function createSubscriptions(later: (failures: number, work: () => void) => void): HubSubscriptions {
  const followed = new Map<Following, { broken: number }>();
  let send: ((message: object) => void) | undefined;
  let counting: Counting | undefined;
  let names = 0;

  function finished(following: Following): void {
    if (!counting) return;
    counting.behind.delete(following);
    if (counting.behind.size > 0) return;
    const { events, gap, done } = counting;
    counting = undefined;
    done({ events, gap });
  }

  function remove(following: Following): void {
    followed.delete(following);
    finished(following);
  }

  function beginAgain(following: Following, broken: number): void {
    followed.set(following, { broken });
    const connection = send;
    connection?.({ type: "unsubscribe", id: following.id });
    later(broken, () => {
      if (send === connection && followed.has(following)) connection?.(following.begin());
    });
  }

  /** What a run's own subscription delivers is not counted a second time for all runs. */
  function countEvents({ runId }: Following, events: readonly { run_id: string }[]): void {
    if (!counting) return;
    const own = new Set([...followed.keys()].map((other) => other.runId));
    counting.events += runId === undefined ? events.filter(({ run_id }) => !own.has(run_id)).length : events.length;
  }

  return {
    add(selection, reader) {
      names += 1;
      const name = "runId" in selection ? selection.runId.slice(0, 40) : "all";
      const following = createFollowing(`${name} ${names}`, selection, reader);
      followed.set(following, { broken: 0 });
      send?.(following.begin());
      return following;
    },
    remove(following) {
      if (!followed.has(following)) return;
      remove(following);
      send?.({ type: "unsubscribe", id: following.id });
    },
    begin(sendNow) {
      send = sendNow;
      for (const following of followed.keys()) sendNow(following.begin());
    },
    pause() {
      send = undefined;
      counting = undefined;
    },
    count(done) {
      counting = { events: 0, gap: false, behind: new Set(followed.keys()), done };
      if (counting.behind.size === 0) counting = undefined;
    },
    receive(message) {
      const following = [...followed.keys()].find(({ id }) => id === message.id);
      if (!following) return;
      const broken = followed.get(following)?.broken ?? 0;
      try {
        const { events, resume, caughtUp, ended } = following.receive(message);
        if (events.length > 0 && broken > 0) followed.set(following, { broken: 0 });
        countEvents(following, events);
        if (counting) counting.gap ||= resume === "gap" && counting.behind.has(following);
        if (ended) remove(following);
        else if (caughtUp) finished(following);
      } catch (error) {
        if (!(error instanceof SpoorClientError) || stopReason(error)) throw error;
        if (error.retryable && broken < MAX_BROKEN) return beginAgain(following, broken + 1);
        remove(following);
        following.reader.failed?.(error);
      }
    },
  };
}
