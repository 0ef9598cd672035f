import { createUlidSource } from "@spoor/protocol/ids";
import type { ChunkRow } from "../../chunks/chunk.ts";
import { withFacts } from "../../chunks/run-row.ts";
import type { Effect } from "../../effects.ts";
import { LogError } from "../../errors.ts";
import { PRUNED } from "../../gaps.ts";
import type { Upkeep } from "../../log.ts";
import { isOver } from "../../records.ts";
import { checkEffects } from "../../work/check-effects.ts";
import { planPrune } from "../../work/prune-plan.ts";
import { prunedRows, typesWithRows } from "../../work/pruned-rows.ts";
import type { Context } from "../context.ts";

/**
 * Removes the beginning of a run, and the rows of other tables that the removed events made. The tape of a finished run is removed as well, because it holds the same output again;
 * a run in progress still writes to its tape.
 */
export function createPrune({ database, tables, transaction, now }: Context): Upkeep["prune"] {
  const rowsThrough = database.prepare(
    "SELECT * FROM chunks WHERE run = ? AND first_sequence <= ? ORDER BY last_sequence",
  );
  // The texts of pruned events must not be found any more.
  const deleteTexts = database.prepare("DELETE FROM run_texts WHERE run = ?");
  const deleteTape = database.prepare("DELETE FROM tapes WHERE run_id = ?");
  const doneCommands = database.prepare(
    `SELECT command_id FROM commands WHERE run_id = ? AND done_at IS NOT NULL
     AND (sequence <= ? OR (sequence IS NULL AND done_at <= ?))`,
  );
  const newId = createUlidSource({ prefix: "evt_", now });

  const hasRows = (type: string): boolean => typesWithRows.includes(type);

  return async (run_id, through, reason, effects = []) => {
    // Replacing a single event by a gap would save nothing.
    if (through < 1) return;
    checkEffects(effects);
    await transaction(() => {
      const run = tables.runs.find(run_id);
      if (!run) throw new LogError("run_not_found", `There is no run ${run_id}.`);
      const rows = rowsThrough.all(run.run, through) as unknown as ChunkRow[];
      const event = { now: now(), event_id: newId(), typeCode: tables.types.code(PRUNED) };
      const plan = planPrune(run, rows, { through, reason, ...event });
      if (!plan) return;
      for (const last_position of plan.removed) tables.chunks.delete(last_position);
      for (const chunk of plan.inserted) tables.chunks.insert(chunk);
      deleteTexts.run(run.run);
      const hadTape = isOver(run) && deleteTape.run(run_id).changes > 0;
      const row = hadTape ? withFacts(run, { has_tape: false }) : run;
      tables.runs.update({ ...row, bytes: plan.bytes });
      tables.rows.apply(prunedRows(run, rows, through, tables.types.accepted(hasRows)));
      tables.rows.apply(commandsThrough(run_id, through, plan.time));
      tables.rows.apply(effects);
    });
  };

  /** Commands that are done, and whose event is gone or that never had one. */
  function commandsThrough(run_id: string, through: number, time: number): Effect[] {
    return doneCommands
      .all(run_id, through, time)
      .map(({ command_id }) => ({ do: "delete", table: "commands", key: String(command_id) }));
  }
}
