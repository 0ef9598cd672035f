import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { LogError } from "../errors.ts";
import type { TapeLine, Tapes } from "../log.ts";
import type { DatabaseSync } from "./driver.ts";
import type { KeyRows } from "./tables/key-rows.ts";
import { factsOf, type RunRows, withFacts } from "./tables/run-rows.ts";
import type { WriteTransaction } from "./transaction.ts";

/**
 * Native lines, a compressed block for each append, which ends with a checksum of them. The run's row tells that there are
 * some from the first on.
 */
export function createTapes({ database, runs, keys, transaction, now }: TapeParts): Tapes {
  const insert = database.prepare("INSERT INTO tapes (run_id, body) VALUES (?, ?)");
  const blocks = createTapeBlocks(database);
  return {
    async append(run_id, lines, { idempotency_key } = {}) {
      if (lines.length === 0) return;
      const text = lines.map(({ at, from, text }) => JSON.stringify([at, from, text])).join("\n");
      const body = zstdCompressSync(text, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
      await transaction(() => {
        if (idempotency_key !== undefined) {
          if (keys.find(idempotency_key)) return;
          keys.put(idempotency_key, { run_id, ...NO_EVENTS }, now());
        }
        insert.run(run_id, body);
        const run = runs.find(run_id);
        if (run && !factsOf(run).has_tape) runs.update(withFacts(run, { has_tape: true }));
      });
    },
    async *read(run_id) {
      for (const block of blocks(run_id)) yield* block;
    },
  };
}

interface TapeParts {
  database: DatabaseSync;
  runs: RunRows;
  keys: KeyRows;
  transaction: WriteTransaction;
  now: () => number;
}

/** The receipt of an append that stored no events. */
const NO_EVENTS = { epoch: 0, first_sequence: -1, last_sequence: -1, last_position: -1 };

/** The lines of a run's blocks, one block after the other; throws at one that is not as it was written. */
export function createTapeBlocks(database: DatabaseSync) {
  const next = database.prepare("SELECT tape, body FROM tapes WHERE run_id = ? AND tape > ? ORDER BY tape LIMIT 1");

  return function* blocks(run_id: string): Iterable<TapeLine[]> {
    for (let row = next.get(run_id, 0); row; row = next.get(run_id, row.tape as number)) {
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
    throw new LogError("damaged", `The raw lines of ${run_id} are damaged.`, { cause });
  }
}
