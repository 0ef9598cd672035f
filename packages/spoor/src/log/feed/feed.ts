import type { Log, Piece } from "../log.ts";
import { Channel, type FeedSubscription, type Reader } from "./channel.ts";
import { endsRun } from "./filter.ts";
import { createPacing } from "./pacing.ts";
import { type AllFilter, allSource, type FeedSource, type Match, runSource } from "./source.ts";

export type { FeedSubscription, Reader } from "./channel.ts";
export type { AllFilter, Batch, Match } from "./source.ts";

/**
 * Follows a log from any place, then live. A subscriber has a cursor and no queue: events that it has not taken stay in the
 * log, so a stalled reader takes no memory.
 */
export interface Feeds {
  followRun(run_id: string, after: number, reader: Reader, match?: Match): FeedSubscription;
  followAll(after: number, reader: Reader, filter?: AllFilter): FeedSubscription;
  close(): void;
}

/**
 * Uses one listener on the log for all subscribers. Those that follow the same events share a channel, and its bytes.
 *
 * @example
 * const feeds = createFeeds(log);
 * const subscription = feeds.followAll(log.lastPosition, {
 *   take({ pieces }) {
 *     for (const { bytes } of pieces) process.stdout.write(bytes);
 *     return true; // false: no more until `subscription.resume()`
 *   },
 *   failed: (error) => console.error(error),
 * });
 * process.once("SIGINT", () => {
 *   subscription.close();
 *   feeds.close();
 * });
 */
export function createFeeds(log: Log): Feeds {
  const runs = new Map<string, Set<Channel>>();
  const all = new Set<Channel>();
  const dirty = new Set<Channel>();

  const pacing = createPacing(() => {
    const channels = [...dirty];
    dirty.clear();
    for (const channel of channels) channel.pump();
  });
  const markDirty = (channel: Channel) => {
    pacing.schedule();
    dirty.add(channel);
    channel.isDirty = true;
  };
  const unwatch = log.watch((piece: Piece) => {
    pacing.committed(piece.bytes.length);
    for (const channel of all) markDirty(channel);
    const ofRun = runs.get(piece.run_id);
    if (!ofRun) return;
    const isEnd = endsRun(piece);
    for (const channel of ofRun) {
      if (isEnd) channel.ended = true;
      markDirty(channel);
    }
  });

  function follow(channels: Set<Channel>, source: FeedSource, after: number, reader: Reader, onEmpty: () => void) {
    let channel = [...channels].find(({ key }) => key.every((part, index) => part === source.key[index]));
    if (!channel) {
      channel = new Channel(source, (empty) => {
        channels.delete(empty);
        onEmpty();
      });
      channels.add(channel);
    }
    return channel.follow(after, reader);
  }

  return {
    followRun(run_id, after, reader, match) {
      const channels = runs.get(run_id) ?? new Set<Channel>();
      runs.set(run_id, channels);
      return follow(channels, runSource(log, run_id, match), after, reader, () => {
        if (channels.size === 0) runs.delete(run_id);
      });
    },
    followAll: (after, reader, filter = {}) => follow(all, allSource(log, filter), after, reader, () => {}),
    close() {
      unwatch();
      for (const channel of [...all, ...[...runs.values()].flatMap((channels) => [...channels])]) channel.close();
    },
  };
}
