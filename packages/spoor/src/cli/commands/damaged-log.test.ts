import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { prefixed } from "@spoor/protocol";
import { expect, it, onTestFinished } from "vitest";
// biome-ignore lint/style/noRestrictedImports: test helpers are not part of the published package.
import { recorded } from "../../../../protocol/testing/record.ts";
// biome-ignore lint/style/noRestrictedImports: as above.
import { Script } from "../../../../protocol/testing/script.ts";
import { run } from "../../../testing/cli/run.ts";
import { newRunId } from "../../../testing/log/drafts.ts";
import { openLogSync } from "../../log/open.ts";
import { logFile } from "../../log/sqlite/connection.ts";
import { openFile } from "../../log/sqlite/driver.ts";

it("shows the same valid gap for damaged events on every read, in the export, and to `spoor check`", {
  timeout: 60_000,
}, async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "spoor-damaged-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const run_id = newRunId();
  const chunks = await record(directory, run_id);
  for (let damaged = 0; damaged < chunks; damaged++) {
    const repair = damage(directory, damaged);
    const events = await run(["events", "--run", run_id, "--json", "--data", directory]);
    const lines = events.stdout.trimEnd().split("\n");
    const gaps = lines.filter((line) => line.includes('"type":"gap.events_lost"'));
    expect(gaps).toHaveLength(1);
    expect(JSON.parse(gaps[0] as string)).toMatchObject({ session_id: SESSION, data: { agent: "claude" } });

    // Read from the middle of the loss, through the whole log, and in an export.
    const { first_lost_sequence } = JSON.parse(gaps[0] as string).data;
    const after = String(Math.max(first_lost_sequence, 0));
    const middle = await run(["events", "--run", run_id, "--after", after, "--json", "--data", directory]);
    const all = await run(["events", "--json", "--data", directory]);
    const bundle = path.join(directory, "run.jsonl");
    await run(["export", run_id, "-o", bundle, "--data", directory]);
    const file = await run(["events", "--run", run_id, "--json", "--data", directory]);
    for (const { stdout } of [middle, all, file]) expect(stdout.split("\n")).toContain(gaps[0]);

    const stream = path.join(directory, "events.jsonl");
    await writeFile(stream, events.stdout);
    expect([damaged, await run(["check", stream])]).toEqual([damaged, expect.objectContaining({ code: 0 })]);
    repair();
  }
});

const SESSION = prefixed("session", "01K9ZD00000000000000000001");

/** Records a run in several commits. Returns their number. */
async function record(directory: string, run_id: string): Promise<number> {
  const script = new Script().begin().turn().message("Hel", "lo").endTurn().turn().message("By", "e").endTurn().end();
  const drafts = recorded(script.events).map(({ type, occurred_at, data }) => ({
    type,
    timestamp: Date.parse(occurred_at),
    json: JSON.stringify(data),
  }));
  const log = openLogSync({ directory });
  const create = { agent: "claude", kind: "agent", session_id: SESSION };
  const [receipt] = await log.append([{ run_id, create, drafts: drafts.splice(0, 3) }]);
  let commits = 1;
  for (; drafts.length > 0; commits++) {
    await log.append([{ run_id, epoch: receipt?.epoch ?? 0, drafts: drafts.splice(0, 3) }]);
  }
  await log.close();
  return commits;
}

/** Changes the body of a chunk. Returns a function that undoes it. */
function damage(directory: string, index: number): () => void {
  const database = openFile(logFile(directory));
  const row = database
    .prepare("SELECT last_position, body FROM chunks ORDER BY last_position LIMIT 1 OFFSET ?")
    .get(index);
  const { last_position, body } = row as { last_position: number; body: Uint8Array };
  const change = database.prepare("UPDATE chunks SET body = ? WHERE last_position = ?");
  const changed = Buffer.from(body);
  changed[40] = (changed[40] as number) ^ 1;
  change.run(changed, last_position);
  return () => {
    change.run(body, last_position);
    database.close();
  };
}
