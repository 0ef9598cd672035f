import { hash } from "node:crypto";
import { createUlidSource } from "@spoor/protocol/ids";
import { createEnvelopeWriter } from "@spoor/protocol/lines";
import { typeAt } from "./lines.ts";
import type { Piece } from "./log.ts";

/** Readers receive it in place of damaged events; it is stored where the end of the write-ahead log was lost. */
export const LOST = "gap.events_lost";
export const PRUNED = "gap.events_pruned";

export type DamageReason = "corrupt" | "truncated" | "missing";

/** A range of events that cannot be read. */
export interface Lost {
  first_sequence: number;
  last_sequence: number;
  reason: DamageReason;
  /** Epoch milliseconds of the last event before them. */
  at: number;
  /** The position of the last of them. */
  position: number;
}

interface LostRun {
  run_id: string;
  task_id: string;
  session_id: string | null;
  agent: string;
}

/**
 * Makes the `gap.events_lost` that a reader receives in place of lost events, in the slot of the last of them. It depends
 * only on what is stored, so every read gives the same bytes.
 */
export function lostPiece(run: LostRun, lost: Lost): Piece {
  const { run_id, task_id, session_id } = run;
  const { last_sequence, at, position } = lost;
  const write = createEnvelopeWriter({ run_id, task_id, ...(session_id !== null && { session_id }) });
  const timestamp = at >= 0 && at <= LATEST ? at : 0;
  const json = JSON.stringify(lostData(lost, run.agent, timestamp));
  const line = write({ type: LOST, timestamp, json }, idOf(run_id, lost, timestamp), last_sequence);
  return {
    run_id,
    bytes: Buffer.from(`${line}\n`),
    sequences: [[last_sequence, 1]],
    positions: [[position, 1]],
  };
}

/** The data of a `gap.events_lost`. */
export const lostData = (lost: Omit<Lost, "at" | "position">, agent: string, detected_at: number) => ({
  first_lost_sequence: lost.first_sequence,
  last_lost_sequence: lost.last_sequence,
  detected_at: new Date(detected_at).toISOString(),
  reason: lost.reason,
  agent,
});

/** Whether a piece is a `gap.events_lost`. */
export const isLost = ({ bytes }: Pick<Piece, "bytes">): boolean => typeAt(bytes, 0) === LOST;

/** Whether a piece begins with a gap event, for lost or for pruned events. */
export const isGap = (piece: Piece): boolean => isLost(piece) || typeAt(piece.bytes, 0) === PRUNED;

/** A damaged row may hold any number as its time. This is the latest time that can be written as RFC 3339. */
const LATEST = Date.UTC(9999, 0);

/** The event id of a loss, always the same for the same loss. */
function idOf(run_id: string, { first_sequence, last_sequence }: Lost, timestamp: number): string {
  const digest = hash("sha256", `${run_id} ${first_sequence} ${last_sequence}`);
  const numbers = [digest.slice(0, 10), digest.slice(10, 20)].map((part) => Number.parseInt(part, 16) / 2 ** 40);
  return createUlidSource({ prefix: "evt_", now: () => timestamp, random: () => numbers.shift() ?? 0 })();
}
