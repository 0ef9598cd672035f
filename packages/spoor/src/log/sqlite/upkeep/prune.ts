import { createUlidSource } from "@spoor/protocol/ids";
import type { ChunkRow } from "../../chunks/chunk.ts";
import { withFacts } from "../../chunks/run-row.ts";
import { LogError } from "../../errors.ts";
import { PRUNED } from "../../gaps.ts";
import type { Upkeep } from "../../log.ts";
import { isOver } from "../../records.ts";
import { planPrune } from "../../work/prune-plan.ts";
import type { Context } from "../context.ts";

/**
 * Removes the beginning of a run. The tape of a finished run is removed as well, because it holds the same output again;
 * a run in progress still writes to its tape.
 */
export function createPrune({ database, tables, transaction, now }: Context): Upkeep["prune"] {
  const rowsThrough = database.prepare(
    "SELECT * FROM chunks WHERE run = ? AND first_sequence <= ? ORDER BY last_sequence",
  );
  const deleteTape = database.prepare("DELETE FROM tapes WHERE run_id = ?");
  const newId = createUlidSource({ prefix: "evt_", now });

  return async (run_id, through, reason) => {
    // Replacing a single event by a gap would save nothing.
    if (through < 1) return;
    await transaction(() => {
      const run = tables.runs.find(run_id);
      if (!run) throw new LogError("run_not_found", `There is no run ${run_id}.`);
      const rows = rowsThrough.all(run.run, through) as unknown as ChunkRow[];
      const event = { now: now(), event_id: newId(), typeCode: tables.types.code(PRUNED) };
      const plan = planPrune(run, rows, { through, reason, ...event });
      if (!plan) return;
      for (const last_position of plan.removed) tables.chunks.delete(last_position);
      for (const chunk of plan.inserted) tables.chunks.insert(chunk);
      const hadTape = isOver(run) && deleteTape.run(run_id).changes > 0;
      const row = hadTape ? withFacts(run, { has_tape: false }) : run;
      tables.runs.update({ ...row, bytes: plan.bytes });
    });
  };
}
