import type { Beginning } from "@spoor/protocol/api/values";
import { SCHEMA_VERSION } from "@spoor/protocol/lines";
import { isGap, isLost } from "../../log/gaps.ts";
import { HttpError } from "../http/http-error.ts";
import type { EventSource } from "./event-source.ts";
import type { FeedContext } from "./feed-context.ts";

/** Where a reader of all runs wants to begin: after a position, at an end of the log, or at a time in epoch milliseconds. */
export interface Start {
  after: number | undefined;
  from: Beginning | undefined;
  since: number | undefined;
}

/** The position to read after; undefined when the caller chose none. */
export async function startPosition({ log }: FeedContext, { after, from, since }: Start): Promise<number | undefined> {
  const given = Object.entries({ after_sequence: after, from, since }).filter(([, value]) => value !== undefined);
  if (given.length > 1) {
    const names = given.map(([name]) => name).join(" and ");
    throw new HttpError("invalid_parameter", `${names} contradict each other. Send only one of them.`);
  }
  if (since !== undefined) return log.positionBefore(since);
  if (from === "now") return log.lastPosition;
  return from === "start" ? -1 : after;
}

export interface Resume {
  /** `gap`: the events after the cursor are gone, or the cursor is beyond the end. */
  status: "ok" | "gap";
  /** The cursor from which reading really continues. */
  after: number;
  /** The run is over and has no more events after this cursor. */
  exhausted: boolean;
}

/** Finds out how a reader continues that has read up to `after`. */
export async function resume(source: EventSource, after: number): Promise<Resume> {
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

/** The data of the `resume` frame or message with which every stream begins. */
export function resumeData({ run }: EventSource, { status, after }: Resume) {
  return { status, schema_version: SCHEMA_VERSION, after_sequence: after, ...(run && { run_id: run.run_id }) };
}

/** Whether the event at the cursor was lost. True as well for a reader that has received that gap already. */
async function wasLost({ read, cursorOf }: EventSource, after: number): Promise<boolean> {
  if (after < 0) return false;
  const [piece] = (await read({ after: after - 1, limit: 1 })).pieces;
  return piece !== undefined && cursorOf(piece) === after && isLost(piece);
}
