import { copyFileSync, rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createRun, draft, eventsOf, readWhole } from "../../../../testing/log/drafts.ts";
import { approval, resolving } from "../../../../testing/log/rows.ts";
import type { Log, RunVerdict } from "../../log.ts";
import { openLogSync } from "../../open.ts";
import { logFile } from "../connection.ts";
import { writeHighWaterMark } from "./high-water-mark.ts";
import { marksFile } from "./marks.ts";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "spoor-recover-"));
});
afterEach(() => rm(directory, { recursive: true }));

it("stores a gap for the events that are missing when the file was replaced by an older copy", async () => {
  const { run_id, other } = await withOlderFile();
  for (let opened = 0; opened < 2; opened++) {
    const log = openLogSync({ directory });
    const events = eventsOf(await readWhole((after) => log.read(run_id, { after })));
    expect(events.at(4)).toMatchObject({
      type: "gap.events_lost",
      sequence: 5,
      data: { first_lost_sequence: 4, last_lost_sequence: 5, reason: "truncated" },
    });
    // A run of which nothing was left is recreated with only the gap.
    expect(eventsOf(await readWhole((after) => log.read(other, { after })))[0]).toMatchObject({
      sequence: 2,
      data: { first_lost_sequence: 0, last_lost_sequence: 2 },
    });
    expect(await log.run(other)).toMatchObject({ agent: "toy", kind: "agent", last_sequence: 2 + opened });
    expect((await verdicts(log)).map(({ damage }) => damage)).toEqual([
      [{ first_sequence: 4, last_sequence: 5, reason: "truncated" }],
      [{ first_sequence: 0, last_sequence: 2, reason: "truncated" }],
    ]);
    const receipts = await log.append([
      { run_id, drafts: [draft("next")] },
      { run_id: other, drafts: [draft("next")] },
    ]);
    expect(receipts).toMatchObject([
      { first_sequence: 6 + opened, last_position: 9 + 2 * opened },
      { first_sequence: 3 + opened, last_position: 10 + 2 * opened },
    ]);
    await log.close();
  }
});

it("gives no position twice when the runs of missing events are unknown, and verify reports the positions", async () => {
  const { run_id } = await withOlderFile();
  rmSync(marksFile(logFile(directory)));
  writeHighWaterMark(logFile(directory), 8);
  for (let opened = 0; opened < 2; opened++) {
    const log = openLogSync({ directory });
    expect((await verdicts(log))[0]).toMatchObject({
      run_id: "",
      damage: [{ first_sequence: 4, last_sequence: 8, reason: "truncated" }],
    });
    const [receipt] = await log.append([{ run_id, drafts: [draft("next")] }]);
    expect(receipt).toMatchObject({ first_sequence: 4 + opened, last_position: 9 + opened });
    await log.close();
  }
});

it("brings rows back together with the events of the older copy", async () => {
  const log = openLogSync({ directory });
  const run_id = await createRun(log, 1);
  await log.rows.write([approval("appr_1", run_id)]);
  await log.close();
  copyFileSync(logFile(directory), `${logFile(directory)}.earlier`);
  const further = openLogSync({ directory });
  await further.append([{ run_id, drafts: [draft("lost")], effects: [resolving("appr_1", "ann")] }]);
  await further.close();
  copyFileSync(`${logFile(directory)}.earlier`, logFile(directory));
  const recovered = openLogSync({ directory });
  const events = eventsOf(await readWhole((after) => recovered.read(run_id, { after })));
  expect(events.map(({ type }) => type)).toEqual(["external.event", "gap.events_lost"]);
  expect(await recovered.rows.find("approvals", "appr_1")).toMatchObject({ status: "pending", by: null });
  await recovered.append([{ run_id, drafts: [draft("again")], effects: [resolving("appr_1", "bob")] }]);
  await recovered.close();
});

it("can prune the gap of lost events", async () => {
  const { run_id } = await withOlderFile();
  const log = openLogSync({ directory });
  await log.append([{ run_id, drafts: [draft("next")] }]);
  await log.upkeep.prune(run_id, 4, "operator");
  const events = eventsOf(await readWhole((after) => log.read(run_id, { after })));
  expect(events.map(({ type, sequence }) => [type, sequence])).toEqual([
    ["gap.events_pruned", 5],
    ["external.event", 6],
  ]);
  for await (const { damage } of log.upkeep.verify(run_id)) expect(damage).toEqual([]);
  await log.close();
});

/** Loses two events of one run and three of another by restoring an older copy of the file. */
async function withOlderFile(): Promise<{ run_id: string; other: string }> {
  const log = openLogSync({ directory });
  const run_id = await createRun(log, 4);
  await log.close();
  copyFileSync(logFile(directory), `${logFile(directory)}.earlier`);
  const further = openLogSync({ directory });
  await further.append([{ run_id, drafts: [draft("lost"), draft("lost too")] }]);
  const other = await createRun(further, 3);
  await further.close();
  copyFileSync(`${logFile(directory)}.earlier`, logFile(directory));
  return { run_id, other };
}

async function verdicts(log: Log): Promise<RunVerdict[]> {
  const found: RunVerdict[] = [];
  for await (const verdict of log.upkeep.verify()) found.push(verdict);
  return found;
}
