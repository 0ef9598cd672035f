import type { Log, Piece } from "../log.ts";
import { Channel, type Reader, type Subscription } from "./channel.ts";
import { endsRun } from "./filter.ts";
import { type AllFilter, allSource, type FeedSource, type Match, runSource } from "./source.ts";

export type { Reader, Subscription } from "./channel.ts";
export type { AllFilter, Batch, Match } from "./source.ts";

/**
 * Reading a log from anywhere, then live. A subscriber is a cursor and no queue: what it has not taken stays in the log,
 * and one that takes nothing costs nothing.
 */
export interface Feeds {
  followRun(run_id: string, after: number, reader: Reader, match?: Match): Subscription;
  followAll(after: number, reader: Reader, filter?: AllFilter): Subscription;
  close(): void;
}

/** Milliseconds. */
const LONGEST_REST = 10;
/** More bytes than this in one hand-over are a flood, not someone typing: throughput counts, not the millisecond. */
const BULK = 16 * 1024;
/** How long to rest after such a one, as a multiple of what it took. */
const BULK_REST = 3;

/** One listener on the log for all who follow it. Readers of the same thing at the same place share its bytes. */
export function createFeeds(log: Log): Feeds {
  const runs = new Map<string, Set<Channel>>();
  const all = new Set<Channel>();
  const stirred = new Set<Channel>();

  // Whatever is committed meanwhile reaches each reader in one write: within one turn of the event loop while there are
  // few of them, and else within as long as it usually takes to serve them all. Once says little: a busy machine may
  // have held us up. In a flood twice says enough, and larger writes are worth waiting a little longer for.
  let usual = 0;
  let lastTook = 0;
  let waiting = 0;
  let restUntil = 0;
  const flush = () => {
    const channels = [...stirred];
    stirred.clear();
    const start = performance.now();
    for (const channel of channels) channel.pump();
    const end = performance.now();
    const took = end - start;
    usual = Math.min(took, usual * 1.25 + 0.1);
    const rest = waiting > BULK ? Math.min(took, lastTook) * BULK_REST : usual;
    restUntil = end + Math.min(rest, LONGEST_REST);
    lastTook = took;
    waiting = 0;
  };
  const stir = (channel: Channel) => {
    if (stirred.size === 0) {
      const rest = restUntil - performance.now();
      if (rest < 1) setImmediate(flush);
      else setTimeout(flush, rest);
    }
    stirred.add(channel);
    channel.stirred = true;
  };
  const unwatch = log.watch((piece: Piece) => {
    waiting += piece.bytes.length;
    for (const channel of all) stir(channel);
    const ofRun = runs.get(piece.run_id);
    if (!ofRun) return;
    const ended = endsRun(piece);
    for (const channel of ofRun) {
      if (ended) channel.ended = true;
      stir(channel);
    }
  });

  function follow(channels: Set<Channel>, source: FeedSource, after: number, reader: Reader, gone: () => void) {
    let channel = [...channels].find(({ key }) => key.every((part, index) => part === source.key[index]));
    if (!channel) {
      channel = new Channel(source, (empty) => {
        channels.delete(empty);
        gone();
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
