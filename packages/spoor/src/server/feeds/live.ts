import type { Batch, Subscription } from "../../log/feed/feed.ts";
import type { Source } from "./source.ts";

export interface LiveReader {
  /** Asked before `take`; absent: there is room until `take` says no. */
  hasRoom?(): boolean;
  /** False when there is no room; `resume` goes on. */
  take(batch: Batch): boolean;
  /** Everything that is there was taken. */
  caughtUp?(): void;
  /** The run is over and everything of it was taken. */
  end(): void;
  failed(error: unknown): void;
}

/**
 * Follows a source to the end of its run. What is already finished ends as soon as it is read; what finishes while it is
 * followed ends `linger` later, since a few events may come after the terminal one.
 */
export function followToEnd(
  source: Source,
  after: number,
  linger: number,
  reader: LiveReader,
): Pick<Subscription, "cursor" | "resume" | "close"> {
  let { finished } = source;
  let asked = finished;
  let closed = false;
  let lingering: NodeJS.Timeout | undefined;
  const finishLater = () => {
    lingering ??= setTimeout(() => {
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
      if (subscription.ended) return finishLater();
      if (asked) return;
      // It may have finished between the look at its record and now.
      asked = true;
      source.isOver().then(
        (over) => over && !closed && finishLater(),
        (error: unknown) => closed || reader.failed(error),
      );
    },
    failed: (error) => reader.failed(error),
  });
  const close = () => {
    closed = true;
    clearTimeout(lingering);
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
