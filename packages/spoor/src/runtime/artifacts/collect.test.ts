import { existsSync, readdirSync, utimesSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { patchedRun } from "../../../testing/runtime/patches.ts";
import { temporaryLog } from "../../../testing/runtime/temporary-log.ts";
import { collectBlobs, readBlob, storeBlob } from "./index.ts";
import { blobFile } from "./store.ts";

const large = (word: string) => Buffer.from(Array.from({ length: 9_000 }, (_, at) => `${word} ${at}\n`).join(""));
const DAY_MS = 24 * 3_600_000;

describe("contents that nobody names", () => {
  it("are removed with their run, and those of other runs stay", async () => {
    const { log, directory } = temporaryLog();
    const [one, two] = [large("one"), large("two")];
    const first = await patchedRun(log, directory, "/nowhere", [{ path: "a", before: one, after: two }]);
    await patchedRun(log, directory, "/nowhere", [{ path: "b", before: undefined, after: two }]);
    const run = await log.run(first.run_id);
    expect(await collectBlobs(log, directory)).toEqual({ blobs: 0, bytes: 0 });
    await log.upkeep.prune(first.run_id, (run?.last_sequence ?? 0) - 1, "operator");
    expect((await log.rows.list("artifacts", { where: { run_id: first.run_id } })).rows).toEqual([]);
    const removed = await collectBlobs(log, directory, Date.now() + 1_000);
    expect(removed.blobs).toBe(2);
    const left = (await log.rows.list("blobs")).rows;
    expect(left).toHaveLength(2);
    for (const { sha256 } of left) await readBlob(log, directory, sha256);
    const files = readdirSync(path.join(directory, "artifacts"), { recursive: true }).filter((name) =>
      String(name).includes("."),
    );
    expect(files).toHaveLength(left.filter(({ bytes }) => bytes === null).length);
  });

  it("stay when somebody stores them again at any moment", async () => {
    const { log, directory } = temporaryLog();
    for (let round = 0; round < 30; round++) {
      const bytes = large(`round ${round}`);
      const { effects, sha256 } = await storeBlob(directory, bytes);
      await log.rows.write(effects);
      const again = async () => {
        const stored = await storeBlob(directory, bytes);
        const row = { artifact_id: `art_${round}`, run_id: "run_x", kind: "image", sha256, created_at: 0 };
        await log.rows.write([...stored.effects, { do: "insert", table: "artifacts", row }]);
      };
      // Only the collector's own clock says what is old, so every moment of the race is tried.
      await Promise.all([again(), collectBlobs(log, directory), collectBlobs(log, directory)]);
      expect(await readBlob(log, directory, sha256)).toEqual(bytes);
    }
  });

  it("are removed when their commit never came, but not before a day", async () => {
    const { log, directory } = temporaryLog();
    const { sha256 } = await storeBlob(directory, large("lost"));
    const file = blobFile(directory, sha256, false);
    await collectBlobs(log, directory);
    expect(existsSync(file)).toBe(true);
    const old = (Date.now() - 2 * DAY_MS) / 1000;
    utimesSync(file, old, old);
    await collectBlobs(log, directory);
    expect(existsSync(file)).toBe(false);
  });
});
