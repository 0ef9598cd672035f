import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { createRun, draft } from "../../../testing/log/drafts.ts";
import { openLogSync } from "../../log/open.ts";

const bin = fileURLToPath(new URL("../../../bin/spoor.js", import.meta.url));

it.each(["all", "one run"])("keeps running and prints new events: %s", { timeout: 60_000 }, async (what) => {
  const directory = mkdtempSync(path.join(tmpdir(), "spoor-follow-"));
  const log = openLogSync({ directory });
  const run_id = await createRun(log, 1);
  const which = what === "all" ? [] : [run_id, "--after", "0"];
  const tail = spawn(process.execPath, [bin, "tail", ...which, "--json", "--data", directory]);
  const exited = once(tail, "exit");
  onTestFinished(async () => {
    tail.kill("SIGKILL");
    await exited;
    await log.close();
    rmSync(directory, { recursive: true, maxRetries: 5 });
  });
  const lines = createInterface({ input: tail.stdout })[Symbol.asyncIterator]();
  const first = lines.next();
  // The test cannot see when the command has begun to follow.
  let isThere = false;
  void first.then(() => {
    isThere = true;
  });
  for (let number = 0; !isThere && tail.exitCode === null; number++) {
    await log.append([{ run_id, drafts: [draft(`said ${number}`)] }]);
    await sleep(50);
  }
  expect(JSON.parse(String((await first).value)).data.note).toContain("said");
  await sleep(300);
  await log.append([{ run_id, drafts: [draft("the last")] }]);
  let last = "";
  while (!last.includes("the last")) {
    const { value, done } = await lines.next();
    expect(done).not.toBe(true);
    last = String(value);
  }
  tail.kill("SIGINT");
  expect(await exited).toEqual([0, null]);
});
