import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createRun, drafts, eventsOf, readWhole } from "../../../testing/log/drafts.ts";
import { approval, queued } from "../../../testing/log/rows.ts";
import type { Effect } from "../effects.ts";
import type { Log } from "../log.ts";
import { openLogSync } from "../open.ts";
import { logFile } from "./connection.ts";
import { openFile } from "./driver.ts";
import { openReadOnly } from "./read-only.ts";
import { KEPT_CHANGES } from "./tables/effect-rows.ts";

it("reports every row to a process that slept through more changes than are kept", async () => {
  const { directory, log } = temporaryLog();
  const sleeper = openLogSync({ directory, pollMs: 1_000_000 });
  const seen = new Set<string>();
  const missed: Effect[] = Array.from({ length: KEPT_CHANGES + 2_000 }, (_, index) => ({
    do: "insert",
    table: "workspaces",
    row: { path: `/${index}` },
  }));
  const stop = sleeper.watchRows((table, key) => seen.add(`${table} ${key}`));
  await log.rows.write([approval("appr_1", "run_1")]);
  await log.rows.write(missed);
  await sleeper.rows.write([approval("appr_2", "run_1")]);
  expect(seen).toContain("approvals appr_1");
  expect(seen).toContain("workspaces /0");
  expect(seen).toContain("approvals appr_2");
  expect(seen.size).toBe(missed.length + 2);
  stop();
  const database = openFile(logFile(directory));
  expect(Number(database.prepare("SELECT count(*) AS notes FROM row_changes").get()?.notes)).toBeLessThan(
    KEPT_CHANGES + 2_000,
  );
  database.close();
  await sleeper.close();
});

it("reads events, and opens, when the pages of a table of rows are damaged", async () => {
  const { directory, log } = temporaryLog();
  const run_id = await createRun(log, 3);
  await log.rows.write([approval("appr_1", run_id), queued(run_id)]);
  await log.close();
  const database = openFile(logFile(directory));
  const pages = database.prepare("SELECT rootpage FROM sqlite_schema WHERE tbl_name IN ('approvals', 'queue')").all();
  const size = Number(database.prepare("PRAGMA page_size").get()?.page_size);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  overwrite(
    logFile(directory),
    pages.map(({ rootpage }) => (Number(rootpage) - 1) * size),
  );
  const damaged = openLogSync({ directory });
  await expect(damaged.rows.find("approvals", "appr_1")).rejects.toMatchObject({ code: "damaged" });
  await expect(damaged.rows.list("approvals")).rejects.toMatchObject({ code: "damaged" });
  const claiming = damaged.queue.claim("w", ["shell"], 1, () => ({ drafts: [] }));
  await expect(claiming).rejects.toMatchObject({ code: "damaged" });
  await damaged.append([{ run_id, drafts: drafts(1) }]);
  const outcomes = await Promise.allSettled([
    damaged.append([{ run_id, drafts: drafts(1), effects: [approval("appr_2", run_id)] }]),
    damaged.append([{ run_id, drafts: drafts(1) }]),
  ]);
  expect(outcomes).toMatchObject([{ status: "rejected", reason: { code: "damaged" } }, { status: "fulfilled" }]);
  expect(eventsOf(await readWhole((after) => damaged.read(run_id, { after })))).toHaveLength(5);
  expect(damaged.fault).toBeUndefined();
  await damaged.close();
});

it("refuses to write rows on a read-only disk, and reads them", async () => {
  const { directory, log } = temporaryLog();
  await log.rows.write([approval("appr_1", "run_1")]);
  await log.close();
  const copy = openReadOnly({ directory });
  expect(await copy.rows.find("approvals", "appr_1")).toMatchObject({ run_id: "run_1" });
  expect((await copy.rows.list("approvals")).rows).toHaveLength(1);
  await expect(copy.rows.write([])).rejects.toMatchObject({ code: "no_access" });
  await expect(copy.queue.extend("run_1", 1, 1)).rejects.toMatchObject({ code: "no_access" });
  await copy.close();
});

it("lists runs by their facts among thousands of others", async () => {
  const { log } = temporaryLog();
  const run_id = await createRun(log, 1);
  await log.append([{ run_id, drafts: [], facts: { title: "Ärger im Büro", model: "m1" } }]);
  for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 100 }, () => createRun(log, 1)));
  expect((await log.runs({ q: "ÄRGER büro" })).runs).toMatchObject([{ run_id }]);
  expect((await log.runs({ model: "m1", limit: 1 })).more).toBe(false);
});

function overwrite(file: string, offsets: readonly number[]): void {
  const descriptor = openSync(file, "r+");
  for (const offset of offsets) writeSync(descriptor, Buffer.alloc(64, 0xff), 0, 64, offset);
  closeSync(descriptor);
}

function temporaryLog(): { directory: string; log: Log } {
  const directory = mkdtempSync(join(tmpdir(), "spoor-rows-"));
  const log = openLogSync({ directory });
  onTestFinished(async () => {
    await log.close();
    rmSync(directory, { recursive: true });
  });
  return { directory, log };
}
