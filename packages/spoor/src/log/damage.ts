import { createUlidSource } from "@spoor/protocol/ids";
import { createEnvelopeWriter } from "@spoor/protocol/write";
import { typeAt } from "./lines.ts";
import type { Piece } from "./log.ts";

export type DamageReason = "corrupt" | "truncated" | "missing";

export interface Lost {
  first_sequence: number;
  last_sequence: number;
  reason: DamageReason;
}

/** The event that stands where events could not be read: made when reading, in the slot of the last of them. */
export function lostPiece(run: { run_id: string; task_id: string }, lost: Lost, position: number): Piece {
  const { first_sequence, last_sequence, reason } = lost;
  const timestamp = Date.now();
  const detected_at = new Date(timestamp).toISOString();
  const data = { first_lost_sequence: first_sequence, last_lost_sequence: last_sequence, detected_at, reason };
  const write = createEnvelopeWriter({ run_id: run.run_id, task_id: run.task_id });
  const line = write({ type: LOST, timestamp, json: JSON.stringify(data) }, nextId(), last_sequence);
  return {
    run_id: run.run_id,
    bytes: Buffer.from(`${line}\n`),
    sequences: [[last_sequence, 1]],
    positions: [[position, 1]],
  };
}

/** Whether a piece stands for what could not be read. */
export const isLost = ({ bytes }: Piece): boolean => typeAt(bytes, 0) === LOST;

/** Whether it begins with what stands for events that are gone. Callers may have types of their own that look alike. */
export const isGap = (piece: Piece): boolean => isLost(piece) || typeAt(piece.bytes, 0) === "gap.events_pruned";

const LOST = "gap.events_lost";
const nextId = createUlidSource({ prefix: "evt_" });
