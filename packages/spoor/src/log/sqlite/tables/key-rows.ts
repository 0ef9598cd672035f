import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { LogError } from "../../errors.ts";
import type { Receipt } from "../../log.ts";
import type { DatabaseSync } from "../driver.ts";

export type KeyRows = ReturnType<typeof createKeyRows>;
export type KeyPlace = Omit<Receipt, "repeated">;

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
    find(key: string): KeyPlace | undefined {
      const copies = [byKey.get(key), byDigest.get(digestOf(key))].filter((row) => row !== undefined);
      if (copies.length === 0) return undefined;
      const whole = (copies as unknown as KeyRow[]).find((row) => row.key === key && isWhole(row));
      if (!whole) throw new LogError("damaged", "The idempotency key was used before, and its receipt is damaged.");
      const { run_id, epoch, first_sequence, last_sequence, last_position } = whole;
      return { run_id, epoch, first_sequence, last_sequence, last_position };
    },
    put(key: string, place: KeyPlace, used_at: number): void {
      const { run_id, epoch, first_sequence, last_sequence, last_position } = place;
      const values = [key, run_id, epoch, first_sequence, last_sequence, last_position, used_at] as const;
      put.run(digestOf(key), ...values, crcOf(values));
    },
  };
}

interface KeyRow extends KeyPlace {
  key: string;
  used_at: number;
  /** Null for one that was stored before there were checksums. */
  crc: number | null;
}

function isWhole({ key, run_id, epoch, first_sequence, last_sequence, last_position, used_at, crc }: KeyRow): boolean {
  return crc === null || crc === crcOf([key, run_id, epoch, first_sequence, last_sequence, last_position, used_at]);
}

const crcOf = (values: readonly (string | number)[]): number => crc32(JSON.stringify(values));
const digestOf = (key: string): string => hash("sha256", key).slice(0, 32);
