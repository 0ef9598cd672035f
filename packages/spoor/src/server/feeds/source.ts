import type { Beginning } from "@spoor/protocol/api/values";
import type { Match, Reader, Subscription } from "../../log/feed/feed.ts";
import { isGap, isLost } from "../../log/gaps.ts";
import type { Page, Piece, ReadQuery } from "../../log/log.ts";
import { firstOf } from "../../log/ranges.ts";
import { isOver, type RunRecord } from "../../log/records.ts";
import { HttpError } from "../http/errors.ts";
import type { Parts } from "../parts.ts";
import { allFrames, type Encode, runFrames } from "./frames.ts";

/** What is read over any transport: one run by sequence, or all of them by position. */
export interface Source {
  /** The run, when it is one. */
  readonly run?: RunRecord;
  /** Where it ended when the request came; -1 for nothing yet. */
  readonly last: number;
  /** Nothing is to be expected but what may follow a run's end. */
  readonly finished: boolean;
  readonly match: Match | undefined;
  readonly frames: Encode;
  /** Where a piece begins, in the terms of the cursor. */
  place(piece: Piece): number;
  read(query: ReadQuery): Promise<Page>;
  follow(after: number, reader: Reader): Subscription;
  /** Whether it has come as far as a place by now, also by what another process has just committed. */
  reaches(place: number): Promise<boolean>;
  /** Whether it has finished since. */
  isOver(): Promise<boolean>;
}

export function runSource({ log, feeds }: Parts, run: RunRecord, match: Match | undefined): Source {
  return {
    run,
    last: run.last_sequence,
    finished: isOver(run),
    match,
    frames: runFrames,
    place: ({ sequences }) => firstOf(sequences),
    read: (query) => log.read(run.run_id, query),
    follow: (after, reader) => feeds.followRun(run.run_id, after, reader, match),
    reaches: async (place) => (await log.read(run.run_id, { after: place - 1, limit: 1 })).pieces.length > 0,
    isOver: async () => isOver((await log.run(run.run_id)) ?? run),
  };
}

export interface AllQuery {
  match: Match | undefined;
  task_id: string | undefined;
  agent: string | undefined;
}

export function allSource({ log, feeds }: Parts, { match, task_id, agent }: AllQuery): Source {
  const filter = { ...(task_id !== undefined && { task_id }), ...(agent !== undefined && { agent }) };
  return {
    last: log.lastPosition,
    finished: false,
    match,
    frames: allFrames,
    place: ({ positions }) => firstOf(positions),
    read: (query) => log.readAll({ ...filter, ...query }),
    follow: (after, reader) => feeds.followAll(after, reader, { ...filter, ...(match && { match }) }),
    // Whosever event it is: a cursor may stand at one that the filter leaves out.
    reaches: async (place) => (await log.readAll({ after: place - 1, limit: 1 })).pieces.length > 0,
    isOver: async () => false,
  };
}

/** Where a reader of all runs begins: a position, a time in epoch milliseconds, or one of the two ends of the log. */
export interface Start {
  after: number | undefined;
  from: Beginning | undefined;
  since: number | undefined;
}

/** The position a start stands for; undefined when the caller named none. */
export async function startOf({ log }: Parts, { after, from, since }: Start): Promise<number | undefined> {
  const named = Object.entries({ after_sequence: after, from, since }).filter(([, value]) => value !== undefined);
  if (named.length > 1) {
    const names = named.map(([name]) => name).join(" and ");
    throw new HttpError("invalid_parameter", `Give only one of ${names}: each says where to begin.`);
  }
  if (since !== undefined) return log.positionBefore(since);
  if (from === "now") return log.lastPosition;
  return from === "start" ? -1 : after;
}

export interface Resume {
  /** `gap`: what follows the cursor is gone, or the cursor lies beyond the end. */
  status: "ok" | "gap";
  /** Where reading really goes on. */
  after: number;
  /** A finished run has nothing more for this cursor. */
  exhausted: boolean;
}

/** What becomes of a reader that was at `after`. */
export async function resume(source: Source, after: number): Promise<Resume> {
  const { read, match, finished, last } = source;
  if (after > last && !(await source.reaches(after))) {
    return { status: "gap", after: last, exhausted: false };
  }
  const [first] = (await read({ after, limit: 1 })).pieces;
  if (first && isGap(first)) return { status: "gap", after, exhausted: false };
  const status = (await wasLost(source, after)) ? "gap" : "ok";
  if (!finished) return { status, after, exhausted: false };
  const rest = match ? await read({ after, limit: 1, match }) : { pieces: first ? [first] : [], more: false };
  return { status, after, exhausted: rest.pieces.length === 0 && !rest.more };
}

/** Whether the event the reader has seen last was lost since. A reader that has seen the gap itself is told once more. */
async function wasLost({ read, place }: Source, after: number): Promise<boolean> {
  if (after < 0) return false;
  const [piece] = (await read({ after: after - 1, limit: 1 })).pieces;
  return piece !== undefined && place(piece) === after && isLost(piece);
}
