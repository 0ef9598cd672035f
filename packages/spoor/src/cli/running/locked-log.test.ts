import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { openLogSync } from "../../log/open.ts";
import { logFile } from "../../log/sqlite/connection.ts";
import { openFile } from "../../log/sqlite/driver.ts";

const spoor = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));
const agent = fileURLToPath(new URL("../../../testing/cli/programs/fake-claude.mjs", import.meta.url));

it("records a run completely although another process locked the log for longer than SQLite's own timeout", {
  timeout: 120_000,
}, async () => {
  const { data, release } = await heldLog();
  const child = start(data, "hello");
  const stderr = text(child.stderr);
  await sleep(11_000);
  expect(child.exitCode).toBe(null);
  release();
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(await stderr).toMatch(
    /^Another process has locked the log\. .*--lock-wait.*\n✓ Done in .*\nRecorded as run_\w+\.\n$/,
  );
  expect(await recorded(data)).toMatchObject([{ status: "completed" }]);
});

it("stops with a message when the log is locked for longer than --lock-wait", { timeout: 60_000 }, async () => {
  const { data } = await heldLog();
  const child = start(data, "hello", "--lock-wait", "1s");
  const stderr = text(child.stderr);
  const [code] = await once(child, "exit");
  expect(code).not.toBe(0);
  expect(await stderr).toContain("Another process held the log's write lock for");
});

it("continues without recording, with a message, under --if-unrecorded continue", { timeout: 60_000 }, async () => {
  const { data } = await heldLog();
  const child = start(data, "hello", "--lock-wait", "1s", "--if-unrecorded", "continue");
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)];
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(await stdout).toBe("You said: hello\n");
  expect(await stderr).toMatch(/^The run was not recorded completely: Another process held .* --lock-wait\.\n$/m);
});

it("exits at the first Ctrl-C while it waits for the log, and starts no agent", { timeout: 60_000 }, async () => {
  const { data } = await heldLog();
  const child = start(data, "hello");
  const stdout = text(child.stdout);
  const [waits] = await once(child.stderr, "data");
  expect(`${waits}`).toContain("Another process has locked the log");
  const stderr = text(child.stderr);
  child.kill("SIGINT");
  expect(await once(child, "exit")).toEqual([130, null]);
  expect(await stderr).toContain("The run was not recorded completely");
  expect(await stdout).toBe("");
});

it("starts no agent after a Ctrl-C, even if the log is unlocked before the run has ended", {
  timeout: 60_000,
}, async () => {
  const { data, release } = await heldLog();
  const child = start(data, "hello");
  const stdout = text(child.stdout);
  await once(child.stderr, "data");
  child.kill("SIGINT");
  release();
  expect(await exited(child)).toBe(130);
  expect(await stdout).toBe("");
});

it("obeys --lock-wait and SIGTERM when it records through a server, too", {
  timeout: 120_000,
}, async () => {
  const { data, hold, release } = await heldLog();
  release();
  const server = spawn(process.execPath, [spoor, "serve", "--port", "0", "--json", "--data", data], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env.PATH, HOME: data },
  });
  onTestFinished(async () => {
    server.kill("SIGKILL");
    await exited(server);
  });
  await once(server.stdout, "data");
  hold();
  const short = start(data, "hello", "--lock-wait", "1s");
  const ended = start(data, "hang");
  const stderr = text(short.stderr);
  // Without --lock-wait, spoor run waits half a minute for a server that does not answer.
  await Promise.race([once(short, "exit"), sleep(25_000)]);
  expect(short.exitCode).toBe(13);
  expect(await stderr).toContain("Another process held the log's write lock for");
  ended.kill("SIGTERM");
  await Promise.race([once(ended, "exit"), sleep(20_000)]);
  expect(ended.exitCode).not.toBe(null);
});

it("records all of many runs that start at the same time", { timeout: 120_000 }, async () => {
  const { data, release } = await heldLog();
  release();
  const children = Array.from({ length: 10 }, (_, number) => start(data, `hello ${number}`));
  for (const { stdout, stderr } of children) for (const stream of [stdout, stderr]) stream.resume();
  for (const child of children) expect(await exited(child)).toBe(0);
  const runs = await recorded(data);
  expect(runs.map(({ title, status }) => `${title} ${status}`).sort()).toEqual(
    children.map((_, number) => `hello ${number} completed`),
  );
});

/** Locks a log until the returned function is called. */
async function heldLog(): Promise<{ data: string; hold(): void; release(): void }> {
  const data = mkdtempSync(path.join(tmpdir(), "spoor-held-"));
  await openLogSync({ directory: data }).close();
  const holder = openFile(logFile(data));
  const hold = (): void => holder.exec("BEGIN IMMEDIATE");
  const release = (): void => {
    if (holder.isTransaction) holder.exec("COMMIT");
  };
  hold();
  onTestFinished(() => {
    holder.close();
    rmSync(data, { recursive: true, maxRetries: 5 });
  });
  return { data, hold, release };
}

function start(data: string, prompt: string, ...options: string[]) {
  const command = `"${process.execPath}" "${agent}"`;
  const args = [spoor, "run", "claude", prompt, "--data", data, "--command", command, ...options];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: data },
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited(child);
  });
  return child;
}

async function exited(child: ChildProcess): Promise<number | null> {
  if ((child.exitCode ?? child.signalCode) === null) await once(child, "exit");
  return child.exitCode;
}

async function recorded(data: string) {
  const log = openLogSync({ directory: data });
  const { runs } = await log.runs();
  await log.close();
  return runs;
}
