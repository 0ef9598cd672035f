import type { Upkeep } from "../../log.ts";
import { failureOf } from "../failure.ts";
import type { Workshop } from "./upkeep.ts";

/** Writes the file anew, without the pages that hold nothing any more, nor what still stands in them. */
export function createShrink({ database, lock }: Workshop): Upkeep["shrink"] {
  const size = database.prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size");
  const bytes = () => Number(size.get()?.bytes);
  return async () => {
    try {
      const before = bytes();
      await lock(
        () => database.exec("VACUUM"),
        () => {},
      );
      // What is gone from the file stands in the write-ahead log, too.
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      return { before, after: bytes() };
    } catch (error) {
      throw failureOf(error);
    }
  };
}
