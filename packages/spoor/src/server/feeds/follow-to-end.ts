import type { Batch, FeedSubscription } from "../../log/feed/feed.ts";
import type { EventSource } from "./event-source.ts";

export interface LiveReader {
  /** Called before `take`. Absent: there is room until `take` returns false. */
  hasRoom?(): boolean;
  /** Returns false when it can take no more for now; `resume` continues. */
  take(batch: Batch): boolean;
  /** Every committed event was taken. */
  caughtUp?(): void;
  /** The run is over and all its events were taken. */
  end(): void;
  failed(error: unknown): void;
}

/**
 * Follows a source to the end of its run. A run that is over already ends as soon as it is read; one that ends while it is
 * followed ends `linger` milliseconds later, since a few events may come after the terminal one.
 */
export function followToEnd(
  source: EventSource,
  after: number,
  linger: number,
  reader: LiveReader,
): Pick<FeedSubscription, "cursor" | "resume" | "close"> {
  let { finished } = source;
  let checked = finished;
  let closed = false;
  let lingerTimer: NodeJS.Timeout | undefined;
  const endLater = () => {
    lingerTimer ??= setTimeout(() => {
      finished = true;
      subscription.resume();
    }, linger);
  };
  const subscription = source.follow(after, {
    ...(reader.hasRoom && { hasRoom: () => reader.hasRoom?.() ?? true }),
    take: (batch) => reader.take(batch),
    caughtUp() {
      reader.caughtUp?.();
      if (finished) return end();
      if (subscription.ended) return endLater();
      if (checked) return;
      // The run may have ended after its record was read and before the feed began.
      checked = true;
      source.isOver().then(
        (over) => over && !closed && endLater(),
        (error: unknown) => closed || reader.failed(error),
      );
    },
    failed: (error) => reader.failed(error),
  });
  const close = () => {
    closed = true;
    clearTimeout(lingerTimer);
    subscription.close();
  };
  const end = () => {
    close();
    reader.end();
  };
  return {
    get cursor() {
      return subscription.cursor;
    },
    resume: () => subscription.resume(),
    close,
  };
}
