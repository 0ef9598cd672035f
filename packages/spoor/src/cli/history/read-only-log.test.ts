import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { openLog } from "../../log/open.ts";
import { logFile } from "../../log/sqlite/connection.ts";
import { createRun, draft } from "../../log/testing/drafts.ts";
import { run } from "../testing/run.ts";

const spoor = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));
/** To root nothing is read-only, so another user runs the command then. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const canRun = spawnSync(process.execPath, [spoor, "--version"], { ...user, env: { HOME: tmpdir() } }).status === 0;

it.runIf(canRun)(
  "a log that cannot be written to is read whole, with what is in its write-ahead log",
  {
    timeout: 60_000,
  },
  async () => {
    const data = newDirectory();
    const log = openLog({ directory: data });
    const run_id = await createRun(log, 3);
    await log.append([{ run_id, drafts: [draft("in the write-ahead log")], facts: { status: "completed" } }]);
    const scratch = newDirectory();
    chmodSync(scratch, 0o777);
    for (const name of readdirSync(data)) chmodSync(path.join(data, name), 0o444);
    rmSync(`${logFile(data)}-shm`);
    chmodSync(data, 0o555);

    const read = (...args: string[]) => {
      const env = { HOME: scratch, TMPDIR: scratch, PATH: process.env.PATH };
      const { status, stdout, stderr } = spawnSync(process.execPath, [spoor, ...args, "--data", data], {
        ...user,
        env,
      });
      return { status, stdout: stdout.toString(), stderr: stderr.toString() };
    };
    const events = read("events", "--run", run_id, "--json");
    expect(events).toMatchObject({ status: 0, stderr: "" });
    expect(events.stdout.trimEnd().split("\n")).toHaveLength(4);
    expect(events.stdout).toContain("in the write-ahead log");
    for (const args of [["ls"], ["show", run_id], ["verify"], ["replay", run_id, "--speed", "0"]])
      expect([args, read(...args)]).toEqual([args, expect.objectContaining({ status: 0 })]);
    expect(read("export", run_id, "-o", path.join(scratch, "run.jsonl")).status).toBe(0);
    const pruned = read("prune", "--keep-events", "1");
    expect([pruned.status, pruned.stderr]).toEqual([1, expect.stringContaining("can be read, but not written to")]);
    expect(readdirSync(scratch).filter((name) => name.startsWith("spoor-read-only-"))).toEqual([]);
    chmodSync(data, 0o700);
    await log.close();
  },
);

it("a data directory that others may write to is refused", async () => {
  const data = newDirectory();
  await openLog({ directory: data }).close();
  chmodSync(data, 0o777);
  const { code, stderr } = await run(["ls", "--data", data]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`Other users may write to ${data}`)]);
  expect(stderr).toContain("chmod 700");
});

it("a link in the place of the log's file is refused", async () => {
  const data = newDirectory();
  await openLog({ directory: data }).close();
  const elsewhere = path.join(newDirectory(), "elsewhere.db");
  renameSync(logFile(data), elsewhere);
  symlinkSync(elsewhere, logFile(data));
  const { code, stderr } = await run(["ls", "--data", data]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("is a symbolic link")]);
});

function newDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), "spoor-place-"));
  onTestFinished(() => {
    chmodSync(directory, 0o700);
    rmSync(directory, { recursive: true });
  });
  return directory;
}
