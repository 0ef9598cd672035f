import type { Envelope } from "@spoor/protocol";
import type { EventHub } from "@spoor/protocol/client";

/** Hears of everything that happens in any run, without the pieces of texts and outputs. */
export interface AllListener {
  events(envelopes: readonly Envelope[]): void;
  /**
   * Listening has begun, so whatever is read from now on and these events together miss nothing. Called again when events
   * were lost: then everything must be read again.
   */
  begun?(): void;
}

/** One subscription to all runs, from now on, that everybody on the page shares. */
export function createAllEvents(hub: Pick<EventHub, "follow">): {
  listen(listener: AllListener): () => void;
} {
  const listeners = new Set<AllListener>();
  let hasBegun = false;
  let isFollowed = false;

  function follow(): void {
    isFollowed = true;
    hub.follow(
      { all: true, from: "now", granularity: "block" },
      {
        events(envelopes) {
          for (const listener of [...listeners]) listener.events(envelopes);
        },
        resumed(status) {
          if (hasBegun && status === "ok") return;
          hasBegun = true;
          for (const listener of [...listeners]) listener.begun?.();
        },
      },
    );
  }

  return {
    listen(listener) {
      listeners.add(listener);
      if (!isFollowed) follow();
      if (hasBegun) listener.begun?.();
      return () => listeners.delete(listener);
    },
  };
}
