import type { Envelope } from "@spoor/protocol";
import { type EventQuery, followPieces, readPieces } from "./feed/follow.ts";
import type { Log, Piece } from "./log.ts";

/**
 * Reads the events that are stored now, then ends. Damaged ranges are read as `gap.events_lost`.
 *
 * @throws {LogError} with code `run_not_found` if `run_id` names no run of this log.
 * @example
 * for await (const { sequence, type } of readEnvelopes(log, { run_id })) console.log(sequence, type);
 */
export async function* readEnvelopes(log: Log, query?: EventQuery): AsyncGenerator<Envelope> {
  for await (const piece of readPieces(log, query)) yield* envelopesIn(piece);
}

/**
 * Reads the stored events and then those that are appended, by this process or any other. With a `run_id` it ends when
 * that run is over; a run that does not exist yet is waited for. Without one it ends when `signal` aborts. Closing the log
 * ends it too.
 *
 * @example
 * for await (const { type, data } of followEnvelopes(log, { run_id: run.recordId })) console.log(type, data);
 */
export async function* followEnvelopes(log: Log, query?: EventQuery): AsyncGenerator<Envelope> {
  for await (const piece of followPieces(log, query)) yield* envelopesIn(piece);
}

/**
 * Reads the stored events as the lines that were written, without their newlines.
 *
 * @example
 * for await (const line of readLines(log, { run_id })) process.stdout.write(`${line}\n`);
 */
export async function* readLines(log: Log, query?: EventQuery): AsyncGenerator<string> {
  for await (const piece of readPieces(log, query)) yield* linesIn(piece);
}

/**
 * The envelopes of one piece.
 *
 * @example
 * for await (const piece of readPieces(log, { run_id })) console.log(envelopesIn(piece).length);
 */
export const envelopesIn = (piece: Piece): Envelope[] => linesIn(piece).map((line) => JSON.parse(line));

/** Each line is decoded by itself, because one text of a large piece is slow to make and to cut: 1.35× for pieces of 74 kB. */
function linesIn({ bytes }: Piece): string[] {
  const lines: string[] = [];
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    lines.push(bytes.toString("utf8", start, end));
    start = end + 1;
  }
  return lines;
}

const NEWLINE = 10;
