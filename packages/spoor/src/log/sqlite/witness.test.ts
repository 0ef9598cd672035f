import { copyFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openLog } from "../open.ts";
import { createRun, draft } from "../testing/drafts.ts";
import { logFile } from "./connection.ts";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "spoor-witness-"));
});
afterEach(() => rm(directory, { recursive: true }));

it("tells of events that were there and are not, and gives no position twice", async () => {
  const log = openLog({ directory });
  const run_id = await createRun(log, 4);
  await log.close();
  copyFileSync(logFile(directory), `${logFile(directory)}.earlier`);
  const further = openLog({ directory });
  await further.append([{ run_id, drafts: [draft("lost"), draft("lost too")] }]);
  await further.close();
  copyFileSync(`${logFile(directory)}.earlier`, logFile(directory));

  const after = openLog({ directory });
  const verdicts = [];
  for await (const verdict of after.upkeep.verify()) verdicts.push(verdict);
  expect(verdicts[0]).toMatchObject({
    run_id: "",
    damage: [{ first_sequence: 4, last_sequence: 5, reason: "truncated" }],
  });
  const [receipt] = await after.append([{ run_id, drafts: [draft("next")] }]);
  expect(receipt).toMatchObject({ first_sequence: 4, last_position: 6 });
  await after.close();
});
