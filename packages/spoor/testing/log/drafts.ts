import { createUlidSource } from "@spoor/protocol/ids";
import type { Log, LogDraft, Page, Piece } from "../../src/log/log.ts";

const START = Date.UTC(2026, 0, 1);

export const newRunId = createUlidSource({ prefix: "run_" });
export const newTaskId = createUlidSource({ prefix: "task_" });

/** A draft with a text by which tests recognise it. */
export const draft = (text: string, type = "external.event", timestamp = START): LogDraft => ({
  type,
  timestamp,
  json: JSON.stringify({ note: text }),
});

export const drafts = (count: number, type?: string): LogDraft[] =>
  Array.from({ length: count }, (_, index) => draft(`n${index}`, type));

/** Creates a run with this many events in one commit. */
export async function createRun(log: Log, count: number, run_id = newRunId()): Promise<string> {
  await log.append([{ run_id, create: { agent: "toy", kind: "agent" }, drafts: drafts(count) }]);
  return run_id;
}

export const linesOf = (pieces: readonly Piece[]): string[] =>
  pieces.flatMap(({ bytes }) => bytes.toString().split("\n").slice(0, -1));

export const eventsOf = (pieces: readonly Piece[]): { [name: string]: unknown; data: Record<string, unknown> }[] =>
  linesOf(pieces).map((line) => JSON.parse(line));

export const notesOf = (pieces: readonly Piece[]): unknown[] => eventsOf(pieces).map(({ data }) => data.note);

/** Reads everything, page by page. */
export async function readWhole(read: (after: number) => Promise<Page>, after = -1): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for (let cursor = after; ; ) {
    const page = await read(cursor);
    pieces.push(...page.pieces);
    if (!page.more) return pieces;
    cursor = page.next;
  }
}

export const bytesOf = (pieces: readonly Piece[]): Buffer => Buffer.concat(pieces.map(({ bytes }) => bytes));
