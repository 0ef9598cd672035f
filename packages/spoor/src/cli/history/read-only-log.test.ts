import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { fakeClaude, fakeCommand } from "../../../testing/cli/process.ts";
import { run } from "../../../testing/cli/run.ts";
import { createRun, draft } from "../../../testing/log/drafts.ts";
import { openLogSync } from "../../log/open.ts";
import { logFile } from "../../log/sqlite/connection.ts";

const spoor = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));
/** Root can write everywhere, so under root another user runs the command. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const canRun = spawnSync(process.execPath, [spoor, "--version"], { ...user, env: { HOME: tmpdir() } }).status === 0;

it.runIf(canRun)(
  "a read-only log is read completely, with the events in its write-ahead log",
  {
    timeout: 60_000,
  },
  async () => {
    const data = newDirectory();
    const log = openLogSync({ directory: data });
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
    expect([pruned.status, pruned.stderr]).toEqual([1, expect.stringContaining("nothing can be written to it")]);
    expect(readdirSync(scratch).filter((name) => name.startsWith("spoor-read-only-"))).toEqual([]);
    chmodSync(data, 0o700);
    await log.close();
  },
);

const canMount = spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", tmpdir()]).status === 0;

it.runIf(canMount)("a log on a read-only disk is read whatever modes the disk shows", { timeout: 60_000 }, () => {
  const place = newDirectory();
  const data = path.join(place, "data");
  const command = `"${process.execPath}" "${spoor}"`;
  // The mount ends with the shell that made it.
  const script = `set -e
    mount -t tmpfs none "${place}"
    ${command} run claude hello --command '"${process.execPath}" "${fakeClaude}"' --data "${data}" 2>&1
    chmod 777 "${data}"
    mount -o remount,ro "${place}"
    ${command} ls --data "${data}"
    ${command} run claude hello --command '"${process.execPath}" "${fakeClaude}"' --data "${data}" 2>&1`;
  const env = { HOME: place, PATH: process.env.PATH };
  const { status, stdout } = spawnSync("unshare", ["-m", "sh", "-c", script], { env, encoding: "utf8" });
  const [, listed, refused] = stdout.split(/^(?= +RUN )|^(?=The log \S+ cannot)/m);
  expect(listed).toMatch(/ done .* hello\n/);
  expect([status, refused]).toEqual([1, expect.stringContaining("read")]);
});

it("a data directory that others may write to is refused", async () => {
  const data = newDirectory();
  await openLogSync({ directory: data }).close();
  chmodSync(data, 0o777);
  const { code, stderr } = await run(["ls", "--data", data]);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`Other users may write to ${data}`)]);
  expect(stderr).toContain("chmod 700");
});

it.runIf(canRun && process.getuid?.() === 0)("a data directory that a shared group may write to is refused", () => {
  const data = newDirectory();
  const USERS = 100;
  chownSync(data, 65_534, USERS);
  chmodSync(data, 0o770);
  const env = { HOME: data, PATH: process.env.PATH };
  const argv = [spoor, "run", "claude", "hello", ...fakeCommand, "--data", data];
  const { status, stderr } = spawnSync(process.execPath, argv, { uid: 65_534, gid: USERS, env, encoding: "utf8" });
  expect([status, stderr]).toEqual([1, expect.stringContaining(`Other users may write to ${data}`)]);
  expect(readdirSync(data)).toEqual([]);
});

it("a symbolic link with the name of the log's file is refused", async () => {
  const data = newDirectory();
  await openLogSync({ directory: data }).close();
  const elsewhere = path.join(newDirectory(), "elsewhere.db");
  renameSync(logFile(data), elsewhere);
  symlinkSync(elsewhere, logFile(data));
  const { code, stderr } = await run(["ls", "--data", data]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("is a symbolic link")]);
  expect(stderr).toContain("Remove the link");
});

it("a server does not change the target of a symbolic link with the name of its lock", () => {
  const data = newDirectory();
  const victim = path.join(newDirectory(), "victim");
  writeFileSync(victim, "");
  chmodSync(victim, 0o644);
  symlinkSync(victim, path.join(data, "server.lock"));
  const env = { HOME: data, PATH: process.env.PATH };
  const argv = [spoor, "serve", "--port", "0", "--data", data];
  const options = { env, encoding: "utf8", timeout: 20_000, killSignal: "SIGKILL" } as const;
  const { status, stderr } = spawnSync(process.execPath, argv, options);
  expect([status, stderr]).toEqual([1, expect.stringContaining("server.lock is a symbolic link")]);
  expect(statSync(victim)).toMatchObject({ size: 0, mode: expect.toSatisfy((mode) => (mode & 0o777) === 0o644) });
});

function newDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), "spoor-place-"));
  onTestFinished(() => {
    chmodSync(directory, 0o700);
    rmSync(directory, { recursive: true });
  });
  return directory;
}
