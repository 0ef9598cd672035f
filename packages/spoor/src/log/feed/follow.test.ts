import { expect, it } from "vitest";
import { createRun, draft, newRunId } from "../../../testing/log/drafts.ts";
import { temporaryLog } from "../../../testing/runtime/temporary-log.ts";
import { followEnvelopes, readEnvelopes } from "../envelopes.ts";

it("reads the stored events after a sequence, then ends", async () => {
  const { log } = temporaryLog();
  const run_id = await createRun(log, 5);
  const sequences: number[] = [];
  for await (const { sequence } of readEnvelopes(log, { run_id, after: 1 })) sequences.push(sequence);
  expect(sequences).toEqual([2, 3, 4]);
  await expect(readEnvelopes(log, { run_id: newRunId() }).next()).rejects.toMatchObject({ code: "run_not_found" });
});

it("waits for a run that does not exist yet, and ends when the run is over", async () => {
  const { log } = temporaryLog();
  const run_id = newRunId();
  const types: string[] = [];
  const following = (async () => {
    for await (const { type } of followEnvelopes(log, { run_id })) types.push(type);
  })();
  await new Promise((resolve) => setTimeout(resolve, 50));
  const create = { agent: "toy", kind: "agent" };
  const [receipt] = await log.append([{ run_id, create, drafts: [draft("first")] }]);
  const epoch = receipt?.epoch ?? 0;
  await log.append([
    { run_id, epoch, drafts: [{ ...draft("last"), type: "run.finished" }], facts: { status: "completed" } },
  ]);
  await following;
  expect(types).toEqual([draft("first").type, "run.finished"]);
});

it("follows all runs from a position on until it is aborted", async () => {
  const { log } = temporaryLog();
  await createRun(log, 3);
  const stopped = new AbortController();
  const seen: string[] = [];
  const following = (async () => {
    for await (const { run_id } of followEnvelopes(log, { after: log.lastPosition, signal: stopped.signal })) {
      seen.push(run_id);
      stopped.abort();
    }
  })();
  const run_id = await createRun(log, 1);
  await following;
  expect(seen).toEqual([run_id]);
});

it("ends when the log is closed while it waits, and refuses a log that is closed already", async () => {
  const { log } = temporaryLog();
  const run_id = await createRun(log, 3);
  const seen: string[] = [];
  const following = (async () => {
    for await (const { type } of followEnvelopes(log)) seen.push(type);
  })();
  const ofRun = followEnvelopes(log, { run_id, after: 2 }).next();
  await expect.poll(() => seen).toHaveLength(3);
  await log.close();
  await following;
  expect(await ofRun).toEqual({ done: true, value: undefined });
  await expect(followEnvelopes(log).next()).rejects.toMatchObject({ code: "closed" });
  await expect(readEnvelopes(log).next()).rejects.toMatchObject({ code: "closed" });
  const closed = { code: "closed", message: "The log was closed." };
  await expect(log.runs()).rejects.toMatchObject(closed);
  await expect(log.claim(run_id)).rejects.toMatchObject(closed);
  await expect(log.tapes.read(run_id)[Symbol.asyncIterator]().next()).rejects.toMatchObject(closed);
});
