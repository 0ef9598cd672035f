import { CHAIN_START, link } from "../../chunks/chain.ts";
import { type DamageReason, LOST, PRUNED } from "../../gaps.ts";
import { typeAt } from "../../lines.ts";
import type { RunVerdict, Upkeep } from "../../log.ts";
import { countOf } from "../../ranges.ts";
import { failureOf } from "../failure.ts";
import { type Chunk, type ChunkRow, chunkOf } from "../tables/chunk-rows.ts";
import { isIntact, type RunRow } from "../tables/run-rows.ts";
import { createTapeBlocks } from "../tapes.ts";
import type { Workshop } from "./upkeep.ts";

/** Reads every event and works out the hash chain anew. */
export function createVerify({ database, store, snapshot }: Workshop): Upkeep["verify"] {
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
      for (const run of run_id === undefined ? allRuns() : someRun(run_id)) {
        // Its row and its chunks as they are at one moment: somebody may be writing, joining or pruning them.
        const verdict = snapshot(() => judge(store.runs.get(run.run) ?? run));
        yield isTapeWhole(run.run_id) ? verdict : { ...verdict, tape: "corrupt" };
        await new Promise(setImmediate);
      }
    } catch (error) {
      throw failureOf(error);
    }
  };

  function* allRuns(): Iterable<RunRow> {
    for (let run = nextRun.get(0); run; run = nextRun.get(run.run as number)) yield run as unknown as RunRow;
  }

  function someRun(run_id: string): RunRow[] {
    const run = store.runs.find(run_id);
    return run ? [run] : [];
  }

  /** What SQLite itself finds wrong, and what is missing at the end. */
  function* structure(): Iterable<RunVerdict> {
    const found = check.all().map((row) => Object.values(row)[0]);
    const damage: RunVerdict["damage"] = [];
    const whole = { first_sequence: 0, last_sequence: store.chunks.lastPosition() };
    if (found[0] !== "ok" || orphans.get()?.chunks !== 0) damage.push({ ...whole, reason: "corrupt" });
    for (const { first_position, last_position } of store.losses.list())
      damage.push({ first_sequence: first_position, last_sequence: last_position, reason: "truncated" });
    if (damage.length > 0) yield { run_id: "", events: 0, head: CHAIN_START, damage };
  }

  function judge(run: RunRow): RunVerdict {
    const verdict: RunVerdict = { run_id: run.run_id, events: 0, head: CHAIN_START, damage: [] };
    const codes = new Map(types.all().map(({ name, code }) => [String(name), Number(code)]));
    let expected = 0;
    const lose = (last_sequence: number, reason: DamageReason) => {
      if (last_sequence >= expected) verdict.damage.push({ first_sequence: expected, last_sequence, reason });
      expected = Math.max(expected, last_sequence + 1);
    };
    for (let row = rowAfter(run, -1); row; row = rowAfter(run, row.last_sequence)) {
      const chunk = row === "broken" ? undefined : chunkOf(row, run.run_id);
      if (!chunk || row === "broken") {
        lose(row === "broken" ? run.last_sequence : row.last_sequence, "corrupt");
        if (row === "broken") break;
        verdict.head = row.head;
        continue;
      }
      lose(chunk.first_sequence - 1, "missing");
      // What stands for pruned events is no link of the chain.
      const isPruned = typeAt(chunk.bytes, 0) === PRUNED;
      const head = isPruned ? chunk.head : headAfter(chunk, verdict.head);
      if (head !== chunk.head || !isListed(chunk, codes)) lose(chunk.last_sequence, "corrupt");
      else if (typeAt(chunk.bytes, 0) === LOST) lose(chunk.last_sequence, "truncated");
      verdict.events += countOf(chunk.sequences);
      verdict.head = chunk.head;
      expected = chunk.last_sequence + 1;
    }
    lose(run.last_sequence, "missing");
    if (verdict.damage.length === 0 && (verdict.head !== run.head || !isIntact(run))) {
      // The events are whole; the run's own row is not.
      verdict.damage.push({ first_sequence: 0, last_sequence: run.last_sequence, reason: "corrupt" });
    }
    return verdict;
  }

  function isTapeWhole(run_id: string): boolean {
    try {
      for (const _ of tapeBlocks(run_id));
      return true;
    } catch (error) {
      if (failureOf(error).code !== "damaged") throw error;
      return false;
    }
  }

  function rowAfter(run: RunRow, sequence: number): ChunkRow | "broken" | undefined {
    try {
      return nextRow.get(run.run, sequence) as unknown as ChunkRow | undefined;
    } catch (error) {
      if (failureOf(error).code !== "damaged") throw failureOf(error);
      return "broken";
    }
  }
}

/** Whether a filter would find every event in it. */
function isListed({ bytes, types }: Chunk, codes: ReadonlyMap<string, number>): boolean {
  for (let start = 0; start < bytes.length; start = bytes.indexOf(NEWLINE, start) + 1) {
    if (!types.includes(` ${codes.get(typeAt(bytes, start))} `)) return false;
  }
  return true;
}

const NEWLINE = 10;

const headAfter = (chunk: Chunk, before: string): string =>
  chunk.bytes.toString().split("\n").slice(0, -1).reduce(link, before);
