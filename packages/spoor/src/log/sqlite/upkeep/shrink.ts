import type { Upkeep } from "../../log.ts";
import type { Context } from "../context.ts";
import { failureOf } from "../failure.ts";

/** Rewrites the file without its free pages, so that no bytes of removed events stay in it. */
export function createShrink({ database, lock }: Context): Upkeep["shrink"] {
  const size = database.prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size");
  const bytes = () => Number(size.get()?.bytes);
  return async () => {
    try {
      const before = bytes();
      await lock(
        () => database.exec("VACUUM"),
        () => {},
      );
      // The write-ahead log still holds removed bytes, too.
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      return { before, after: bytes() };
    } catch (error) {
      throw failureOf(error);
    }
  };
}
