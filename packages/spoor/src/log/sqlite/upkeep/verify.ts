import { CHAIN_START } from "../../chunks/chain.ts";
import type { ChunkRow } from "../../chunks/chunk.ts";
import type { RunRow } from "../../chunks/run-row.ts";
import type { RunVerdict, Upkeep } from "../../log.ts";
import { judgeRun, UNREADABLE } from "../../work/judge.ts";
import type { Context } from "../context.ts";
import { failureOf } from "../failure.ts";
import { createTapeBlocks } from "../tapes.ts";

/** Reads the whole log, or one run, and reports all damage. */
export function createVerify({ database, tables, snapshot }: Context): Upkeep["verify"] {
  const nextRun = database.prepare("SELECT * FROM runs WHERE run > ? ORDER BY run LIMIT 1");
  const nextRow = database.prepare(
    "SELECT * FROM chunks WHERE run = ? AND last_sequence > ? ORDER BY last_sequence LIMIT 1",
  );
  const check = database.prepare("PRAGMA integrity_check(1)");
  const tapeBlocks = createTapeBlocks(database);
  const types = database.prepare("SELECT name, code FROM event_types");
  const orphans = database.prepare("SELECT count(*) AS chunks FROM chunks WHERE run NOT IN (SELECT run FROM runs)");

  return async function* verify(run_id) {
    try {
      if (run_id === undefined) yield* structure();
      for (const run of run_id === undefined ? allRuns() : oneRun(run_id)) {
        // Another process may write, merge or prune the run, so its row and its chunks are read in one snapshot.
        const verdict = snapshot(() => judgeRun(tables.runs.get(run.run) ?? run, rowsOf(run), typeCodes()));
        yield isTapeIntact(run.run_id) ? verdict : { ...verdict, tape: "corrupt" };
        await new Promise(setImmediate);
      }
    } catch (error) {
      throw failureOf(error);
    }
  };

  /** Damage that belongs to no single run: in the structure of the file, and lost positions. */
  function* structure(): Iterable<RunVerdict> {
    const found = check.all().map((row) => Object.values(row)[0]);
    const damage: RunVerdict["damage"] = [];
    const whole = { first_sequence: 0, last_sequence: tables.chunks.lastPosition() };
    if (found[0] !== "ok" || orphans.get()?.chunks !== 0) damage.push({ ...whole, reason: "corrupt" });
    for (const { first_position, last_position } of tables.losses.list())
      damage.push({ first_sequence: first_position, last_sequence: last_position, reason: "truncated" });
    if (damage.length > 0) yield { run_id: "", events: 0, head: CHAIN_START, damage };
  }

  function* allRuns(): Iterable<RunRow> {
    for (let run = nextRun.get(0); run; run = nextRun.get(run.run as number)) yield run as unknown as RunRow;
  }

  function oneRun(run_id: string): RunRow[] {
    const run = tables.runs.find(run_id);
    return run ? [run] : [];
  }

  function* rowsOf({ run }: RunRow): Iterable<ChunkRow | typeof UNREADABLE> {
    for (let last = -1; ; ) {
      const row = rowAfter(run, last);
      if (row === undefined) return;
      yield row;
      if (row === UNREADABLE) return;
      last = row.last_sequence;
    }
  }

  function rowAfter(run: number, sequence: number): ChunkRow | typeof UNREADABLE | undefined {
    try {
      return nextRow.get(run, sequence) as unknown as ChunkRow | undefined;
    } catch (error) {
      if (failureOf(error).code !== "damaged") throw failureOf(error);
      return UNREADABLE;
    }
  }

  function typeCodes(): Map<string, number> {
    return new Map(types.all().map(({ name, code }) => [String(name), Number(code)]));
  }

  function isTapeIntact(run_id: string): boolean {
    try {
      for (const _ of tapeBlocks(run_id));
      return true;
    } catch (error) {
      if (failureOf(error).code !== "damaged") throw error;
      return false;
    }
  }
}
