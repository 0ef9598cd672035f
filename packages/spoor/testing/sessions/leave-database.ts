import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openFile } from "../../src/log/sqlite/driver.ts";

/**
 * Writes a database in the state in which a program leaves it: closed, or (`withLog`) after a crash, with the write-ahead
 * log and its index.
 */
export function leaveDatabase(file: string, statements: string, { withLog }: { withLog: boolean }): void {
  const folder = mkdtempSync(path.join(tmpdir(), "spoor-database-"));
  const made = path.join(folder, "made.db");
  const database = openFile(made);
  database.exec("PRAGMA foreign_keys = off; PRAGMA journal_mode = wal;");
  database.exec(`BEGIN; ${statements} COMMIT;`);
  if (!withLog) database.close();
  mkdirSync(path.dirname(file), { recursive: true });
  for (const end of withLog ? ["", "-wal", "-shm"] : [""]) copyFileSync(`${made}${end}`, `${file}${end}`);
  if (withLog) database.close();
  rmSync(folder, { recursive: true, force: true });
}
