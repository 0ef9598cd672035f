import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { allGone, isRunning } from "../../../testing/process/pids.ts";
import { openLogSync } from "../../log/open.ts";
import { readProcessTable } from "../../process/process-table.ts";
import { reconcile } from "../../runtime/reconcile.ts";

const bin = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));
const program = fileURLToPath(new URL("../../../testing/cli/programs/hostile-claude.mjs", import.meta.url));

// The agent, a child in its process group, one in a session of its own, and one that has also lost its parent.
const tricks = (pids: string) => [["ignore"], ["pid", pids], ["children", pids], ["orphan", pids], ["say", "up"]];

it.skipIf(process.platform === "win32")(
  "no process of a run survives spoor run being killed",
  async () => {
    const { run, data, pids } = await start(["hang"]);
    run.kill("SIGKILL");
    await once(run, "exit");
    await allGone(pids());
    await expectClosed(data);
  },
  120_000,
);

it.skipIf(process.platform !== "linux")(
  "recovery kills processes that a run left behind because its watchdog was killed as well",
  async () => {
    const { run, data, pids } = await start(["hang"]);
    const children = readProcessTable().filter(({ parent }) => parent === run.pid);
    const watchdogs = children.filter(({ pid }) => !pids().includes(pid));
    expect(watchdogs).toHaveLength(1);
    process.kill(watchdogs[0]?.pid ?? 0, "SIGKILL");
    run.kill("SIGKILL");
    await once(run, "exit");
    expect(pids().map(isRunning)).toEqual([true, true, true, true]);
    await expectClosed(data);
    await allGone(pids());
  },
  120_000,
);

it.skipIf(process.platform === "win32")(
  "no process of a run survives its normal end",
  async () => {
    const { run, pids } = await start(["exit", 0]);
    await once(run, "exit");
    expect(pids().map(isRunning)).toEqual([false, false, false, false]);
  },
  120_000,
);

/** Starts a run and waits until all its processes are running. */
async function start(last: unknown[]) {
  const folder = mkdtempSync(path.join(tmpdir(), "spoor-survivors-"));
  const file = path.join(folder, "pids");
  const data = path.join(folder, "data");
  const prompt = JSON.stringify({ do: [...tricks(file), last] });
  const command = `"${process.execPath}" "${program}"`;
  const args = [bin, "run", "claude", prompt, "--data", data, "--no-snapshots", "--command", command];
  const run = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  const pids = () => readFileSync(file, "utf8").trimEnd().split("\n").map(Number);
  onTestFinished(() => {
    run.kill("SIGKILL");
    for (const pid of pids().filter(isRunning)) process.kill(pid, "SIGKILL");
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  await once(run.stdout, "data");
  expect(pids()).toHaveLength(4);
  return { run, data, pids };
}

async function expectClosed(data: string): Promise<void> {
  const log = openLogSync({ directory: data });
  await reconcile(log);
  const { runs } = await log.runs();
  await log.close();
  expect(runs).toMatchObject([{ status: "failed", error_code: "process_gone" }]);
}
