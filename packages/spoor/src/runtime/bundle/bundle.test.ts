import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { recordedRun } from "../../../testing/runtime/recorded-run.ts";
import { temporaryLog } from "../../../testing/runtime/temporary-log.ts";
import { readLines } from "../../log/envelopes.ts";
import type { Log } from "../../log/log.ts";
import { exportBundle } from "./export.ts";
import { verifyBundle } from "./verify.ts";

async function exported(name: string): Promise<{ log: Log; run_id: string; file: string; directory: string }> {
  const { log, directory } = temporaryLog();
  const run_id = await recordedRun(log);
  const file = join(directory, name);
  await exportBundle(log, run_id, file);
  return { log, run_id, file, directory };
}

describe("a bundle", () => {
  it.each(["run.spoor", "run.spoor.gz"])(
    "holds the run's lines verbatim and passes verification (%s)",
    async (name) => {
      const { log, run_id, file } = await exported(name);
      const bytes = readFileSync(file);
      const text = (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
      const lines: string[] = [];
      for await (const line of readLines(log, { run_id })) lines.push(line);
      expect(text.split("\n").slice(1, -2)).toEqual(lines);
      const verdict = await verifyBundle(file);
      expect(verdict).toMatchObject({ problems: [], events: lines.length, run: { run_id, status: "completed" } });
      for await (const { head } of log.upkeep.verify(run_id)) expect(verdict.head).toBe(head);
    },
  );

  it("fails verification when a byte is changed, a line is missing, doubled or moved, or the end is cut off", async () => {
    const { file, directory } = await exported("run.spoor");
    const bytes = readFileSync(file);
    const broken = join(directory, "broken");
    for (let at = 0; at < bytes.length - 1; at += 37) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 1;
      writeFileSync(broken, changed);
      expect((await verifyBundle(broken)).problems, `byte ${at}`).not.toEqual([]);
    }
    const lines = bytes.toString().split("\n");
    const changes: ((lines: string[]) => string[])[] = [
      (all) => all.toSpliced(3, 1),
      (all) => all.toSpliced(3, 0, all[3] as string),
      (all) => [...all.slice(0, 3), all[4] as string, all[3] as string, ...all.slice(5)],
      (all) => all.slice(0, -2),
      (all) => [...all, "more"],
      (all) => all.map((line, index) => (index === 5 ? `${line}\r` : line)),
      (all) => all.slice(1),
      () => [],
    ];
    for (const change of changes) {
      writeFileSync(broken, change(lines).join("\n"));
      expect((await verifyBundle(broken)).problems, String(change)).not.toEqual([]);
    }
  });

  it("leaves no file, not even a part, when the export is stopped", async () => {
    const { log, run_id, directory } = await exported("run.spoor");
    const file = join(directory, "stopped.spoor");
    const read = log.read.bind(log);
    const stopped = new AbortController();
    vi.spyOn(log, "read").mockImplementation(async (id, query = {}) => {
      if ((query.after ?? -1) > 3) stopped.abort();
      return read(id, { ...query, limit: 2 });
    });
    await expect(exportBundle(log, run_id, file, stopped.signal)).rejects.toThrow();
    expect(readdirSync(directory).filter((name) => name.startsWith("stopped"))).toEqual([]);
  });

  it("of a pruned run fails verification with another gap event at its start", async () => {
    const { log, run_id, file } = await exported("run.spoor");
    await log.upkeep.prune(run_id, 4, "operator");
    await exportBundle(log, run_id, file);
    expect((await verifyBundle(file)).problems).toEqual([]);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace('"reason":"operator"', '"reason":"retention_window"'));
    expect((await verifyBundle(file)).problems).toEqual([expect.stringContaining("gap")]);
  });

  it("starts again when the run is pruned meanwhile", async () => {
    const { log, run_id, file } = await exported("run.spoor");
    let isPruned = false;
    const read = log.read.bind(log);
    vi.spyOn(log, "read").mockImplementation(async (id, query = {}) => {
      if ((query.after ?? -1) > 3 && !isPruned) {
        isPruned = true;
        await log.upkeep.prune(run_id, 8, "operator");
      }
      return read(id, { ...query, limit: 2 });
    });
    await exportBundle(log, run_id, file);
    const { problems, head } = await verifyBundle(file);
    expect([isPruned, problems, head]).toEqual([true, [], (await log.run(run_id))?.head]);
    const lines = readFileSync(file, "utf8").split("\n");
    expect(lines[1]).toContain("gap.events_pruned");
  });

  it("of a pruned run starts its chain at the gap, also after its chunks were merged", async () => {
    const { log, run_id, file } = await exported("run.spoor");
    await log.upkeep.prune(run_id, 4, "operator");
    for (const step of ["pruned", "merged"]) {
      if (step === "merged") await log.upkeep.merge({ run_id });
      const { events } = await exportBundle(log, run_id, file);
      expect(await verifyBundle(file), step).toMatchObject({ problems: [], events });
    }
  });

  it("that was compressed and cut off is reported as a problem, not thrown", async () => {
    const { file } = await exported("run.spoor.gz");
    writeFileSync(file, readFileSync(file).subarray(0, -20));
    expect((await verifyBundle(file)).problems).not.toEqual([]);
    writeFileSync(file, gzipSync("nonsense"));
    expect((await verifyBundle(file)).problems).toHaveLength(1);
  });

  it("of an unknown run leaves no file", async () => {
    const { log, directory } = temporaryLog();
    await expect(exportBundle(log, "run_01K9ZC0000SP00R00000000000", join(directory, "x"))).rejects.toMatchObject({
      code: "run_not_found",
    });
    await expect(verifyBundle(join(directory, "x"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});
