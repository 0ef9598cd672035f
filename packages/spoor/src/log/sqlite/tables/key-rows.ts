import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { LogError } from "../../errors.ts";
import type { FirstReceipt } from "../../work/prepare.ts";
import type { DatabaseSync } from "../driver.ts";

/**
 * Idempotency keys with the receipt of their first use. Every key is stored twice, in the table and in an index that holds
 * all of its row and is ordered by the key's digest. If one copy is damaged, the other still recognises a retry; if neither
 * can be trusted, the append is refused rather than stored a second time.
 */
export function createKeyRows(database: DatabaseSync) {
  const columns = "key, run_id, epoch, first_sequence, last_sequence, last_position, used_at, crc";
  const byKey = database.prepare(`SELECT ${columns} FROM idempotency WHERE key = ?`);
  const byDigest = database.prepare(
    `SELECT ${columns} FROM idempotency INDEXED BY idempotency_by_digest WHERE digest = ?`,
  );
  const put = database.prepare(
    "INSERT OR REPLACE INTO idempotency (digest, key, run_id, epoch, first_sequence, last_sequence, last_position," +
      " used_at, crc) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const remove = database.prepare("DELETE FROM idempotency WHERE key = ?");
  const forget = database.prepare("DELETE FROM idempotency WHERE used_at < ?");

  return {
    forget(before: number): void {
      forget.run(before);
    },
    remove(key: string): void {
      remove.run(key);
    },
    /** The receipt of a key that was used before, or an error if no copy of it is intact. */
    find(key: string): FirstReceipt | LogError | undefined {
      const copies = [byKey.get(key), byDigest.get(digestOf(key))].filter((row) => row !== undefined);
      if (copies.length === 0) return undefined;
      const intact = (copies as unknown as KeyRow[]).find((row) => row.key === key && isIntact(row));
      if (!intact)
        return new LogError("damaged", "The idempotency key was used before, but its receipt is damaged in the log.");
      const { run_id, epoch, first_sequence, last_sequence, last_position } = intact;
      return { run_id, epoch, first_sequence, last_sequence, last_position };
    },
    put(key: string, receipt: FirstReceipt, used_at: number): void {
      const { run_id, epoch, first_sequence, last_sequence, last_position } = receipt;
      const values = [key, run_id, epoch, first_sequence, last_sequence, last_position, used_at] as const;
      put.run(digestOf(key), ...values, crcOf(values));
    },
  };
}

/** The receipt that is stored under the key of a write without events. */
export const NO_EVENTS = { epoch: 0, first_sequence: -1, last_sequence: -1, last_position: -1 };

interface KeyRow extends FirstReceipt {
  key: string;
  used_at: number;
  /** Null in rows that were stored before the table had checksums. */
  crc: number | null;
}

function isIntact({ key, run_id, epoch, first_sequence, last_sequence, last_position, used_at, crc }: KeyRow): boolean {
  return crc === null || crc === crcOf([key, run_id, epoch, first_sequence, last_sequence, last_position, used_at]);
}

const crcOf = (values: readonly (string | number)[]): number => crc32(JSON.stringify(values));
const digestOf = (key: string): string => hash("sha256", key).slice(0, 32);
