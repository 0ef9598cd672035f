import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished, vi } from "vitest";
import type { Log } from "../../log/log.ts";
import { openLog } from "../../log/open.ts";
import { envelopesOf, findingsOf } from "../../runtime/testing/temporary-log.ts";

const bin = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));
const program = fileURLToPath(new URL("../testing/programs/gated-claude.mjs", import.meta.url));
const patient = { timeout: 60_000, interval: 50 };

it.each([
  ["is asked to end", (run: ChildProcess) => run.kill("SIGTERM")],
  ["loses its terminal", (run: ChildProcess) => run.kill("SIGHUP")],
  ["loses its reader", (run: ChildProcess) => run.stdout?.destroy()],
])("ends the agent and records the end when it %s", { timeout: 120_000 }, async (_, end) => {
  const { run, log, stderr } = await begin("speaks");
  end(run);
  const [code] = await once(run, "exit");
  expect({ code, stderr: await stderr }).toEqual({
    code: 13,
    stderr: expect.stringMatching(/^Recorded as run_\w+\.\nThe run was aborted\.\n$/),
  });
  const { runs } = await log.runs();
  expect(runs).toMatchObject([{ status: "cancelled" }]);
  const run_id = runs[0]?.run_id ?? "";
  expect((await envelopesOf(log, run_id)).at(-1)).toMatchObject({ type: "run.cancelled", data: { reason: "aborted" } });
  expect(await findingsOf(log, [run_id])).toEqual([]);
});

it("is no success when the agent's was not recorded to its end", { timeout: 120_000 }, async () => {
  const { run, log, stderr, openGate } = await begin("lingers");
  const { run_id = "" } = (await log.runs()).runs[0] ?? {};
  await log.claim(run_id);
  openGate();
  const [code] = await once(run, "exit");
  expect(code).toBe(1);
  expect(await stderr).toContain("Not all of it was recorded");
});

/** A run whose agent has said something and waits: without end while it `speaks`, or after its last word (`lingers`). */
async function begin(how: "speaks" | "lingers") {
  const folder = mkdtempSync(path.join(tmpdir(), "spoor-ends-"));
  const data = path.join(folder, "data");
  const gate = path.join(folder, "gate");
  const command = `"${process.execPath}" "${program}" "${gate}" 1 ${how}`;
  const args = [bin, "run", "claude", "Speak.", "--data", data, "--command", command];
  const run = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let log: Log | undefined;
  onTestFinished(async () => {
    run.kill("SIGKILL");
    await log?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const stderr = text(run.stderr);
  await once(run.stdout, "data");
  log = openLog({ directory: data });
  const said = how === "speaks" ? "assistant.text_complete" : "turn.completed";
  await vi.waitFor(async () => {
    const [{ run_id = "" } = {}] = (await (log as Log).runs()).runs;
    expect((await envelopesOf(log as Log, run_id)).map(({ type }) => type)).toContain(said);
  }, patient);
  return { run, log, stderr, openGate: () => writeFileSync(gate, "") };
}
