import type { FeedSubscription, Match, Reader } from "../../log/feed/feed.ts";
import type { Page, Piece, ReadQuery } from "../../log/log.ts";
import { firstOf } from "../../log/ranges.ts";
import { isOver, type StoredRun } from "../../log/records.ts";
import type { FeedContext } from "./feed-context.ts";
import { allFrames, type Encode, runFrames } from "./sse-frames.ts";

/** The events of one run, whose cursor is a sequence, or of all runs, whose cursor is a position in the log. */
export interface EventSource {
  /** Absent for all runs. */
  readonly run?: StoredRun;
  /** The last cursor when the request came; -1 when there were no events. */
  readonly last: number;
  /** The run was over when the request came. */
  readonly finished: boolean;
  readonly match: Match | undefined;
  readonly frames: Encode;
  /** The cursor of a piece's first event. */
  cursorOf(piece: Piece): number;
  read(query: ReadQuery): Promise<Page>;
  follow(after: number, reader: Reader): FeedSubscription;
  /** Whether there is an event at this cursor or after it by now, also one that another process has just committed. */
  reaches(cursor: number): Promise<boolean>;
  /** Whether the run is over by now. */
  isOver(): Promise<boolean>;
}

export function runSource({ log, feeds }: FeedContext, run: StoredRun, match: Match | undefined): EventSource {
  return {
    run,
    last: run.last_sequence,
    finished: isOver(run),
    match,
    frames: runFrames,
    cursorOf: ({ sequences }) => firstOf(sequences),
    read: (query) => log.read(run.run_id, query),
    follow: (after, reader) => feeds.followRun(run.run_id, after, reader, match),
    reaches: async (cursor) => (await log.read(run.run_id, { after: cursor - 1, limit: 1 })).pieces.length > 0,
    isOver: async () => isOver((await log.run(run.run_id)) ?? run),
  };
}

export interface AllRunsFilter {
  match: Match | undefined;
  task_id: string | undefined;
  agent: string | undefined;
}

export function allRunsSource({ log, feeds }: FeedContext, { match, task_id, agent }: AllRunsFilter): EventSource {
  const filter = { ...(task_id !== undefined && { task_id }), ...(agent !== undefined && { agent }) };
  return {
    last: log.lastPosition,
    finished: false,
    match,
    frames: allFrames,
    cursorOf: ({ positions }) => firstOf(positions),
    read: (query) => log.readAll({ ...filter, ...query }),
    follow: (after, reader) => feeds.followAll(after, reader, { ...filter, ...(match && { match }) }),
    // Without the filter: the cursor may be the position of an event that the filter leaves out.
    reaches: async (cursor) => (await log.readAll({ after: cursor - 1, limit: 1 })).pieces.length > 0,
    isOver: async () => false,
  };
}
