// `spoor/log`: open a log, list its runs, read and follow their events.
/// <reference types="node" preserve="true" />

export type { DeleteEffect, Effect, InsertEffect, RowQuery, Rows, UpdateEffect } from "./effects.ts";
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
export type { Claim, Lease, Opening, Queue } from "./queue.ts";
export type { Range, Ranges } from "./ranges.ts";
export type {
  CountsByState,
  DerivedState,
  FactChanges,
  FactGuard,
  NewRun,
  RunExecutor,
  RunFacts,
  RunQuery,
  RunStatus,
  StoredRun,
  StoredTask,
  TaskQuery,
} from "./records.ts";
export {
  type Column,
  type NewRow,
  type RequiredColumn,
  type Row,
  type Table,
  tables,
  type Value,
  type ValueOf,
} from "./tables.ts";
export type { CommandListener } from "./watch-commands.ts";
