// `spoor/log`: open a log, list its runs, read and follow their events.
/// <reference types="node" preserve="true" />

export { envelopesIn, followEnvelopes, readEnvelopes, readLines } from "./envelopes.ts";
export { LogError, type LogErrorCode } from "./errors.ts";
export type { FeedSubscription } from "./feed/feed.ts";
export { type AllFilter, type Batch, createFeeds, type Feeds, type Match, type Reader } from "./feed/feed.ts";
export { type EventQuery, followPieces, readPieces } from "./feed/follow.ts";
export type { Lines } from "./lines.ts";
export type {
  AppendReceipt,
  Log,
  LogDraft,
  Page,
  Piece,
  PruneReason,
  ReadAllQuery,
  ReadQuery,
  Recent,
  RunAppend,
  RunVerdict,
  TapeLine,
  Tapes,
  Upkeep,
} from "./log.ts";
export { dataDirectory, logExists, type OpenLogOptions, openLog, openLogToRead } from "./open.ts";
export type { Range, Ranges } from "./ranges.ts";
export type {
  NewRun,
  RunFacts,
  RunQuery,
  RunStatus,
  StoredRun,
  StoredTask,
  TaskQuery,
} from "./records.ts";
