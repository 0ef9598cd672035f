import type { DatabaseSync } from "./driver.ts";

/**
 * Tells from which position on nobody else can have changed anything: another process that wrote, whatever it was, moves
 * it to what comes `next`.
 */
export function createUndisturbed(database: DatabaseSync) {
  const statement = database.prepare("PRAGMA data_version");
  statement.setReturnArrays(true);
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
