import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished, vi } from "vitest";
import { bin, createPlace, fakeCommand, hasTerminal } from "../../../testing/cli/process.ts";
import { envelopesOf, findingsOf } from "../../../testing/runtime/temporary-log.ts";
import type { Log } from "../../log/log.ts";
import { openLogSync } from "../../log/open.ts";

const program = fileURLToPath(new URL("../../../testing/cli/programs/gated-claude.mjs", import.meta.url));
const patient = { timeout: 60_000, interval: 50 };

it.each([
  ["is asked to end", (run: ChildProcess) => run.kill("SIGTERM")],
  ["loses its terminal", (run: ChildProcess) => run.kill("SIGHUP")],
  ["loses its reader", (run: ChildProcess) => run.stdout?.destroy()],
])("ends the agent and records the end when the command %s", { timeout: 120_000 }, async (_, end) => {
  const { run, log, stderr } = await begin("speaks");
  end(run);
  const [code] = await once(run, "exit");
  expect({ code, stderr: await stderr }).toEqual({
    code: 13,
    stderr: expect.stringMatching(/^■ Aborted in .*\nRecorded as run_\w+\.\nThe run was aborted\.\n$/),
  });
  const { runs } = await log.runs();
  expect(runs).toMatchObject([{ status: "cancelled" }]);
  const run_id = runs[0]?.run_id ?? "";
  expect((await envelopesOf(log, run_id)).at(-1)).toMatchObject({ type: "run.cancelled", data: { reason: "aborted" } });
  expect(await findingsOf(log, [run_id])).toEqual([]);
});

it("exits with an error if the agent succeeded but its end was not recorded", { timeout: 120_000 }, async () => {
  const { run, log, stderr, openGate } = await begin("lingers");
  const { run_id = "" } = (await log.runs()).runs[0] ?? {};
  await log.claim(run_id);
  openGate();
  const [code] = await once(run, "exit");
  expect(code).toBe(1);
  expect(await stderr).toContain("The run was not recorded completely");
});

it.runIf(hasTerminal)("records the end when the window is closed over a question", { timeout: 120_000 }, async () => {
  const { home, data, remove } = createPlace("closed-window");
  const words = [process.execPath, bin, "run", "claude", "run it", ...fakeCommand].map((word) => `'${word}'`).join(" ");
  const env = { PATH: process.env.PATH, HOME: home, SPOOR_HOME: data };
  const window = spawn("script", ["-qec", words, "/dev/null"], { cwd: home, env, stdio: ["pipe", "pipe", "ignore"] });
  let shown = "";
  for await (const chunk of window.stdout) {
    shown += chunk;
    if (shown.includes("what led here")) break;
  }
  window.kill("SIGKILL");
  const log = openLogSync({ directory: data });
  onTestFinished(async () => {
    await log.close();
    remove();
  });
  await vi.waitFor(async () => expect((await log.runs()).runs).toMatchObject([{ status: "cancelled" }]), patient);
});

it("keeps its exit code when standard error is closed", { timeout: 120_000 }, async () => {
  const { start, remove } = createPlace("closed-stderr");
  onTestFinished(remove);
  const run = start(["run", "claude", "run it", ...fakeCommand]);
  run.stderr.destroy();
  run.stdin.end();
  run.stdout.resume();
  expect(await once(run, "exit")).toEqual([17, null]);
});

it.runIf(existsSync("/dev/full"))("says why it stops when its output cannot be written", { timeout: 120_000 }, () => {
  const { home, data, remove } = createPlace("full-disk");
  onTestFinished(remove);
  const full = openSync("/dev/full", "w");
  const env = { PATH: process.env.PATH, HOME: home, SPOOR_HOME: data };
  const { status, stderr } = spawnSync(process.execPath, [bin, "run", "claude", "hello", ...fakeCommand, "--json"], {
    ...{ cwd: home, env, encoding: "utf8", stdio: ["ignore", full, "pipe"] },
  });
  closeSync(full);
  expect({ status, stderr }).toEqual({
    status: 13,
    stderr: expect.stringMatching(/^Cannot write to standard output: ENOSPC/),
  });
});

/** Starts a run and waits for its first output. The agent prints without end (`speaks`), or waits after its last message (`lingers`). */
async function begin(how: "speaks" | "lingers") {
  const folder = mkdtempSync(path.join(tmpdir(), "spoor-ends-"));
  const data = path.join(folder, "data");
  const gate = path.join(folder, "gate");
  // An agent that lingers says one message only, so that the one turn which completes is its last.
  const command = `"${process.execPath}" "${program}" "${gate}" ${how === "lingers" ? 0 : 1} ${how}`;
  const args = [bin, "run", "claude", "Speak.", "--data", data, "--command", command];
  const run = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let log: Log | undefined;
  onTestFinished(async () => {
    run.kill("SIGKILL");
    await log?.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const stderr = text(run.stderr);
  await once(run.stdout, "data");
  log = openLogSync({ directory: data });
  const said = how === "speaks" ? "assistant.text_complete" : "turn.completed";
  await vi.waitFor(async () => {
    const [{ run_id = "" } = {}] = (await (log as Log).runs()).runs;
    expect((await envelopesOf(log as Log, run_id)).map(({ type }) => type)).toContain(said);
  }, patient);
  return { run, log, stderr, openGate: () => writeFileSync(gate, "") };
}
