import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { TapeLine, Tapes } from "../log.ts";
import type { DatabaseSync } from "./driver.ts";
import { failureOf } from "./failure.ts";

/** Native lines, a compressed block for each append. */
export function createTapes(database: DatabaseSync): Tapes {
  const insert = database.prepare("INSERT INTO tapes (run_id, body) VALUES (?, ?)");
  const next = database.prepare("SELECT tape, body FROM tapes WHERE run_id = ? AND tape > ? ORDER BY tape LIMIT 1");
  return {
    async append(run_id, lines) {
      if (lines.length === 0) return;
      const text = lines.map(({ at, from, text }) => JSON.stringify([at, from, text])).join("\n");
      try {
        insert.run(run_id, zstdCompressSync(text));
      } catch (error) {
        throw failureOf(error);
      }
    },
    async *read(run_id) {
      for (let row = next.get(run_id, 0); row; row = next.get(run_id, row.tape as number)) {
        const text = zstdDecompressSync(row.body as Uint8Array).toString();
        for (const line of text.split("\n")) {
          const [at, from, text] = JSON.parse(line) as [number, TapeLine["from"], string];
          yield { at, from, text };
        }
      }
    },
  };
}
