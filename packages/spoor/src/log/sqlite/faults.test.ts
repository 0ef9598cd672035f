import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRun, drafts, linesOf, notesOf, readWhole } from "../../../testing/log/drafts.ts";
import { openLogSync } from "../open.ts";
import { logFile } from "./connection.ts";
import { openFile } from "./driver.ts";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "spoor-fault-"));
});
afterEach(() => rm(directory, { recursive: true }));

describe("a full disk", () => {
  it("refuses the append, whichever page does not fit, and changes nothing else", async () => {
    const first = openLogSync({ directory });
    const run_id = await createRun(first, 5);
    const before = linesOf(await readWhole((after) => first.read(run_id, { after })));
    await first.close();
    const pages = pageCount();
    for (let room = 0; room < 40; room++) {
      const log = openLogSync({ directory, maxPages: pages + room });
      const appended = log.append([{ run_id, drafts: drafts(400) }]);
      if (room < 20) {
        await expect(appended).rejects.toMatchObject({ code: "disk_full", hint: expect.stringContaining("prune") });
        expect(linesOf(await readWhole((after) => log.read(run_id, { after })))).toEqual(before);
        // A small append may still fit: a full disk is not a failing one.
        await log.append([{ run_id, drafts: [] }]);
        await log.close();
        continue;
      }
      await appended.catch(() => {});
      await log.close();
      break;
    }
    const log = openLogSync({ directory });
    await log.append([{ run_id, drafts: drafts(2) }]);
    for await (const { damage } of log.upkeep.verify()) expect(damage).toEqual([]);
    await log.close();
  });

  const pageCount = (): number => {
    const database = openFile(logFile(directory));
    const pages = Number(database.prepare("PRAGMA page_count").get()?.page_count);
    database.close();
    return pages;
  };
});

describe.skipIf(process.platform === "win32")("a log whose file was removed while it was open", () => {
  it.each(["is gone", "is another log now"])("refuses appends when the file %s", async (how) => {
    const data = join(directory, "data");
    const log = openLogSync({ directory: data });
    const run_id = await createRun(log, 1);
    await rm(data, { recursive: true });
    const other = how === "is gone" ? undefined : openLogSync({ directory: data });
    await sleep(1_100);
    for (let tries = 0; tries < 2; tries++) {
      await expect(log.append([{ run_id, drafts: drafts(1) }])).rejects.toMatchObject({ code: "removed" });
    }
    expect(await other?.runs()).toEqual(other && { runs: [], more: false });
    await log.close();
    await other?.close();
  });
});

describe.skipIf(process.platform === "win32")("a write that fails", () => {
  // A limit on the size of files makes the write that crosses it fail. Each limit makes another write fail.
  const limits = Array.from({ length: 10 }, (_, index) => 8 + index * 56);

  it.each(limits)("is never acknowledged and damages nothing (files end at %i KiB)", async (limit) => {
    const log = openLogSync({ directory });
    const run_id = await createRun(log, 1);
    await log.close();
    const program = fileURLToPath(new URL("../../../testing/log/programs/until-refused.ts", import.meta.url));
    const node = `"${process.execPath}" --conditions=spoor-source --disable-warning=ExperimentalWarning`;
    const script = `trap '' XFSZ; ulimit -f ${limit}; exec ${node} "${program}" "${directory}" ${run_id}`;
    const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", script], { encoding: "utf8" });
    expect(stderr).toBe("");
    const printed = JSON.parse(stdout) as { acked: string[]; code: string; again: string };
    expect(["write_failed", "disk_full"]).toContain(printed.code);
    // After a failed write, the log refuses appends until it is opened again.
    expect(printed.again).toBe(printed.code);

    const after = openLogSync({ directory });
    const notes = notesOf(await readWhole((cursor) => after.read(run_id, { after: cursor })));
    expect(notes.slice(1)).toEqual(printed.acked);
    await after.append([{ run_id, drafts: drafts(1) }]);
    for await (const { damage } of after.upkeep.verify()) expect(damage).toEqual([]);
    await after.close();
  });
});

it.skipIf(process.platform === "win32")("a log on a full disk can be read", async () => {
  const log = openLogSync({ directory });
  const run_id = await createRun(log, 3);
  await log.close();
  const open = new URL("../open.ts", import.meta.url);
  const program = `const log = (await import("${open}")).openLogSync({ directory: process.argv[1] });
    const { pieces } = await log.read("${run_id}");
    console.log(pieces.map(({ bytes }) => bytes.toString().trimEnd()).join("\\n"));
    const refused = await log.append([{ run_id: "${run_id}", drafts: [] , facts: {} }]).catch(({ code }) => code);
    console.log(typeof refused);
    await log.close();`;
  const node = `"${process.execPath}" --conditions=spoor-source --disable-warning=ExperimentalWarning --input-type=module`;
  // The limit is smaller than the memory that processes share.
  const script = `trap '' XFSZ; ulimit -f 4; exec ${node} --eval "$1" "$2"`;
  const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", script, "bash", program, directory], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(
    stdout
      .split("\n")
      .slice(0, 3)
      .map((line) => JSON.parse(line).sequence),
  ).toEqual([0, 1, 2]);
  expect(stdout).toContain("string");
});

describe("durability", () => {
  const hasStrace = spawnSync("strace", ["--version"]).status === 0;

  it.skipIf(!hasStrace).each([
    ["full", true],
    ["process", false],
  ] as const)("of level %s syncs every commit: %s", async (durability, syncs) => {
    const log = openLogSync({ directory, durability });
    const run_id = await createRun(log, 1);
    await log.close();
    const program = fileURLToPath(new URL("../../../testing/log/programs/commits.ts", import.meta.url));
    const node = [process.execPath, "--conditions=spoor-source", "--disable-warning=ExperimentalWarning", program];
    const traced = [
      "-f",
      "-qq",
      "-e",
      "trace=fdatasync,fsync,write",
      "-e",
      "signal=none",
      ...node,
      directory,
      run_id,
      durability,
    ];
    const { stderr } = spawnSync("strace", traced, { encoding: "utf8", maxBuffer: 1 << 26 });
    // The program prints "commit" before each of its ten commits and "done" after the last.
    // The first commit begins the write-ahead log, whose header is always synced.
    const between = stderr.split('"commit').slice(2, 11);
    expect(between).toHaveLength(9);
    for (const calls of between) expect(/f(data)?sync\(/.test(calls)).toBe(syncs);
  });
});
