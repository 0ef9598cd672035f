import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { readWhole } from "../../../testing/log/drafts.ts";
import type { Log, RunVerdict } from "../log.ts";
import { openLogSync } from "../open.ts";

const program = fileURLToPath(new URL("../../../testing/log/programs/neighbour.ts", import.meta.url));
const WHILE_MS = 1_500;

it("returns every position once and in order while another process commits and merges", {
  timeout: 60_000,
}, async () => {
  const log = await openBesideNeighbour();
  await forAWhile(async () => {
    let expected = 0;
    for (const { positions } of await readWhole((after) => log.readAll({ after, maxBytes: 32 * 1024 }))) {
      for (const [first, count] of positions) {
        expect(first).toBe(expected);
        expected = first + count;
      }
    }
  });
});

it("finds no damage while another process commits, merges and prunes", { timeout: 60_000 }, async () => {
  const log = await openBesideNeighbour("prunes");
  await forAWhile(async () => {
    const damaged: RunVerdict[] = [];
    for await (const verdict of log.upkeep.verify()) if (verdict.damage.length > 0) damaged.push(verdict);
    expect(damaged).toEqual([]);
  });
});

async function openBesideNeighbour(prunes = ""): Promise<Log> {
  const directory = mkdtempSync(join(tmpdir(), "spoor-neighbour-"));
  const args = ["--conditions=spoor-source", "--disable-warning=ExperimentalWarning", program, directory, prunes];
  const neighbour = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(neighbour.stdout, "data");
  const log = openLogSync({ directory });
  onTestFinished(async () => {
    neighbour.kill("SIGKILL");
    await once(neighbour, "exit");
    await log.close();
    rmSync(directory, { recursive: true });
  });
  return log;
}

async function forAWhile(work: () => Promise<void>): Promise<void> {
  for (const end = Date.now() + WHILE_MS; Date.now() < end; ) await work();
}
