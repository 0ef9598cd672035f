import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openLogSync } from "../open.ts";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "spoor-checkpoint-"));
});
afterEach(() => rm(directory, { recursive: true }));

it("keeps the process alive while an append waits for a checkpoint", async () => {
  const program = fileURLToPath(new URL("../../../testing/log/programs/fill.ts", import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, ["--conditions=spoor-source", program, directory, "80"], {
    encoding: "utf8",
  });
  expect([stdout, stderr]).toEqual(["all of it", ""]);
  const log = openLogSync({ directory });
  for await (const { events, damage } of log.upkeep.verify()) expect([events, damage]).toEqual([1 + 80 * 16, []]);
  await log.close();
});
