import type { DatabaseSync } from "./driver.ts";

/**
 * Returns the first position that other processes cannot have changed since we last published it. When another process
 * has written anything, that is `next`, the position of the event that comes next.
 */
export function createForeignWriteCheck(database: DatabaseSync) {
  const statement = database.prepare("PRAGMA data_version");
  statement.setReturnArrays(true);
  // SQLite changes this number when another connection has committed.
  const version = () => (statement.get() as unknown as [number])[0];
  let known = version();
  let since = 0;

  return (next: number): number => {
    const now = version();
    if (now !== known) since = next;
    known = now;
    return since;
  };
}
