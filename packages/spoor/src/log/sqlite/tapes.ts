import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { factsOf, withFacts } from "../chunks/run-row.ts";
import { LogError } from "../errors.ts";
import type { TapeLine, Tapes } from "../log.ts";
import type { Context } from "./context.ts";
import type { DatabaseSync } from "./driver.ts";
import { translateErrors } from "./failure.ts";
import { NO_EVENTS } from "./tables/key-rows.ts";

/**
 * Stores the raw native lines of runs. Each append is one compressed block with a checksum; the first one sets `has_tape`
 * in the run's row.
 */
export function createTapes({ database, tables, transaction, now }: Context): Tapes {
  const insert = database.prepare("INSERT INTO tapes (run_id, body) VALUES (?, ?)");
  const blocks = createTapeBlocks(database);
  return {
    async append(run_id, lines, { idempotency_key } = {}) {
      if (lines.length === 0) return;
      const text = lines.map(({ at, from, text }) => JSON.stringify([at, from, text])).join("\n");
      const body = zstdCompressSync(text, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
      await transaction(() => {
        if (idempotency_key !== undefined) {
          const used = tables.keys.find(idempotency_key);
          if (used instanceof LogError) throw used;
          if (used) return;
          tables.keys.put(idempotency_key, { run_id, ...NO_EVENTS }, now());
        }
        insert.run(run_id, body);
        const run = tables.runs.find(run_id);
        if (run && !factsOf(run).has_tape) tables.runs.update(withFacts(run, { has_tape: true }));
      });
    },
    async *read(run_id) {
      for (const block of blocks(run_id)) yield* block;
    },
  };
}

/** The lines of a run, block by block. Throws at a block that is damaged. */
export function createTapeBlocks(database: DatabaseSync) {
  const next = database.prepare("SELECT tape, body FROM tapes WHERE run_id = ? AND tape > ? ORDER BY tape LIMIT 1");

  return function* blocks(run_id: string): Iterable<TapeLine[]> {
    const after = (tape: number) => translateErrors(() => next.get(run_id, tape));
    for (let row = after(0); row; row = after(row.tape as number)) {
      yield linesOf(row.body as Uint8Array, run_id);
    }
  };
}

function linesOf(body: Uint8Array, run_id: string): TapeLine[] {
  try {
    return zstdDecompressSync(body)
      .toString()
      .split("\n")
      .map((line) => {
        const [at, from, text] = JSON.parse(line) as [number, TapeLine["from"], string];
        return { at, from, text };
      });
  } catch (cause) {
    throw new LogError("damaged", `The tape of ${run_id} is damaged.`, { cause });
  }
}
