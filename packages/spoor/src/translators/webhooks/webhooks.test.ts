import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it, onTestFinished } from "vitest";
import { draft, startRun } from "../../../testing/server/serve.ts";
import { place, status, until } from "../../../testing/webhooks/place.ts";
import { sequencesByRun } from "../../../testing/webhooks/receiver.ts";
import { openLogSync } from "../../log/open.ts";
import { usualPace } from "./pace.ts";
import { startWebhooks } from "./webhooks.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

function heldBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it("sends chosen events only, in the order of each run", async () => {
  const { log, receiver } = await place();
  const first = await startRun(log, 5);
  const second = await startRun(log, 5);
  await first.add("approval.requested", 3, "approval.resolved");
  await second.add("run.paused", 3, "run.unpaused");
  await Promise.all([first.finish(), second.finish()]);
  await until(() => expect(receiver.requests).toHaveLength(8));
  expect(sequencesByRun(receiver.accepted())).toEqual({
    [first.run_id]: [0, 5, 9, 10],
    [second.run_id]: [0, 5, 9, 10],
  });
});

it("begins with what is recorded after a receiver was named first, and goes on from there after a restart", async () => {
  const { log, receiver, webhooks, start } = await place();
  const run = await startRun(log, 1);
  await until(() => expect(receiver.accepted()).toHaveLength(1));
  const other = `${receiver.url}/other`;
  await (await start({}, other)).close();
  await webhooks.close();
  await run.finish();
  await start({}, other);
  await until(() => expect(receiver.accepted()).toHaveLength(2));
  await start();
  await until(() => expect(receiver.accepted()).toHaveLength(3));
  expect(receiver.accepted().map(({ sequence }) => sequence)).toEqual([0, 1, 1]);
  // The same event has another id for another receiver.
  expect(new Set(receiver.accepted().map(({ id }) => id)).size).toBe(3);
});

it("lets a run whose event is refused wait alone", async () => {
  const { log, receiver, webhooks, notices } = await place();
  const bad = await startRun(log, 1);
  receiver.behave(({ run_id }) => (run_id === bad.run_id ? 500 : 204));
  await bad.add("run.paused");
  const good = await startRun(log, 1);
  await good.finish();
  await until(() => expect(sequencesByRun(receiver.accepted())).toEqual({ [good.run_id]: [0, 1] }));
  await until(() => expect(status(webhooks).waiting_runs[0]?.attempts).toBeGreaterThan(2));
  expect(status(webhooks).waiting_runs).toMatchObject([{ run_id: bad.run_id, sequence: 0, detail: "answered 500" }]);
  expect(notices.join("\n")).toContain(`did not take event 0 of the run ${bad.run_id}: it answered 500`);
  receiver.behave(() => 204);
  await until(() => expect(sequencesByRun(receiver.accepted())[bad.run_id]).toEqual([0, 1]));
  await until(() => expect(status(webhooks)).toMatchObject({ runs_behind: 0, waiting_runs: [], given_up: 0 }));
});

it("gives an event up that is refused for too long, counts it, says so and goes on with the run", async () => {
  const { log, receiver, webhooks, notices } = await place({ maxAge: 60 });
  receiver.behave(({ sequence }) => (sequence === 0 ? 422 : 204));
  const run = await startRun(log, 1);
  await run.finish();
  await until(() => expect(sequencesByRun(receiver.accepted())).toEqual({ [run.run_id]: [1] }));
  expect(status(webhooks)).toMatchObject({
    given_up: 1,
    recently_given_up: [{ run_id: run.run_id, sequence: 0, detail: "answered 422" }],
  });
  expect(notices.join("\n")).toContain(`never took event 0 of the run ${run.run_id} (it answered 422)`);
});

it("never gives an event up while the receiver is out of reach", async () => {
  const { log, receiver, webhooks, notices } = await place({ maxAge: 1 });
  await receiver.refuse();
  const run = await startRun(log, 1);
  await run.finish();
  await until(() => expect(status(webhooks).failed_attempts).toBeGreaterThan(5));
  expect(status(webhooks).state).toBe("out_of_reach");
  await receiver.listen();
  await until(() => expect(sequencesByRun(receiver.accepted())).toEqual({ [run.run_id]: [0, 1] }));
  await until(() => expect(status(webhooks)).toMatchObject({ state: "delivering", given_up: 0 }));
  // One line when it begins and one when it ends, however many attempts there were.
  expect(notices.map((text) => / (cannot be reached|receives again)/.exec(text)?.[1])).toEqual([
    "cannot be reached",
    "receives again",
  ]);
});

it.each([429, 503])("waits as long as Retry-After of %i says", async (code) => {
  const { log, receiver, webhooks } = await place();
  receiver.behave(() => ({ status: code, headers: { "retry-after": "3600" } }));
  await startRun(log, 1);
  await until(() => expect(status(webhooks).state).toBe("out_of_reach"));
  const wait = Date.parse(status(webhooks).next_attempt_at ?? "") - Date.now();
  expect(wait).toBeGreaterThan(3_500_000);
  expect(receiver.requests).toHaveLength(1);
});

it("follows no redirect", async () => {
  const { log, receiver, webhooks } = await place();
  receiver.behave(() => ({ status: 307, headers: { location: `${receiver.url}/elsewhere` } }));
  await startRun(log, 1);
  await until(() => expect(status(webhooks).last_failure?.detail).toBe("answered 307, and redirects are not followed"));
  expect(receiver.accepted()).toEqual([]);
});

it("ends an attempt that gets no answer in time", async () => {
  const { log, receiver, webhooks } = await place({ timeout: 50 });
  receiver.behave(() => "hang");
  await startRun(log, 1);
  await until(() => expect(status(webhooks).last_failure?.detail).toBe("gave no answer: timeout after 0.05 s"));
});

it("stops at 410 Gone, stays so after a restart, and goes on when it is enabled", async () => {
  const { log, receiver, webhooks, start, notices } = await place();
  receiver.behave(() => 410);
  const run = await startRun(log, 1);
  await until(() => expect(status(webhooks).state).toBe("disabled"));
  expect(notices.join("\n")).toContain("answered 410 Gone, so it is disabled");
  await webhooks.close();
  receiver.behave(() => 204);
  const again = await start();
  await run.finish();
  expect(status(again)).toMatchObject({ state: "disabled", delivered: 0 });
  expect(notices.at(-1)).toContain("is disabled since it answered 410 Gone");
  expect(again.enable("wh_unknown")).toBeUndefined();
  again.enable(status(again).webhook_id);
  await until(() => expect(sequencesByRun(receiver.accepted())).toEqual({ [run.run_id]: [0, 1] }));
  expect(status(again).state).toBe("delivering");
});

it("can skip the backlog when it is enabled", async () => {
  const { log, receiver, webhooks } = await place();
  receiver.behave(() => 410);
  const run = await startRun(log, 1);
  await until(() => expect(status(webhooks).state).toBe("disabled"));
  await run.add("run.paused");
  receiver.behave(() => 204);
  webhooks.enable(status(webhooks).webhook_id, { fromNow: true });
  await run.finish();
  await until(() => expect(sequencesByRun(receiver.accepted())).toEqual({ [run.run_id]: [2] }));
});

it("sends the same id at every attempt, and a fresh timestamp", async () => {
  // The wait is at least half as long, so the attempts are never in the same second.
  const { log, receiver } = await place({ refused: { first: 2_100, longest: 2_100 } });
  receiver.behave(() => (receiver.requests.length === 0 ? 500 : 204));
  await startRun(log, 1);
  await until(() => expect(receiver.requests).toHaveLength(2));
  const [first, second] = receiver.requests.map(({ headers }) => headers);
  expect(second?.["webhook-id"]).toBe(first?.["webhook-id"]);
  expect(second?.["webhook-timestamp"]).not.toBe(first?.["webhook-timestamp"]);
});

it("tells a receiver that is behind of events that were removed meanwhile", async () => {
  const { log, receiver } = await place();
  await receiver.refuse();
  const pruned = await startRun(log, 3);
  await pruned.finish();
  const kept = await startRun(log, 1);
  await log.upkeep.prune(pruned.run_id, 3, "operator");
  await receiver.listen();
  await until(() => expect(receiver.accepted()).toHaveLength(2));
  const [gap] = receiver.accepted().filter(({ run_id }) => run_id === pruned.run_id);
  expect([gap?.type, gap?.event.data?.last_pruned_sequence]).toEqual(["gap.events_pruned", 3]);
  expect(sequencesByRun(receiver.accepted())[kept.run_id]).toEqual([0]);
});

it("leaves data out that is too large, and says where to get it", async () => {
  const { log, receiver } = await place();
  const run = await startRun(log, 1);
  await run.add(draft("run.paused", { reason: "x".repeat(300_000) }), "run.unpaused");
  await until(() => expect(receiver.accepted()).toHaveLength(3));
  const large = receiver.accepted()[1];
  expect(large?.event.data).toBeUndefined();
  expect(large?.event.dataref).toBe(`/v1/runs/${run.run_id}/events?after_sequence=0&limit=1`);
  expect(large?.body.length).toBeLessThan(2_000);
});

it("reads the log no further when very many runs are refused, and catches up afterwards", {
  timeout: 30_000,
}, async () => {
  const { log, receiver, webhooks, notices } = await place({ mostRuns: 8 });
  receiver.behave(() => 500);
  const runs = [];
  for (let count = 0; count < 40; count++) runs.push(await startRun(log, 1));
  await until(() => expect(status(webhooks).events_behind).toBeGreaterThan(0));
  // The runs of one batch may be more than the limit, but not all are taken.
  expect(status(webhooks).runs_behind).toBeLessThan(40);
  await until(() => expect(notices.filter((text) => text.includes("the events of 8 runs"))).toHaveLength(1));
  receiver.behave(() => 204);
  await until(() => expect(Object.keys(sequencesByRun(receiver.accepted()))).toHaveLength(40));
  await until(() => expect(status(webhooks)).toMatchObject({ events_behind: 0, runs_behind: 0, delivered: 40 }));
});

it("costs nothing while the receiver is away: hardly an attempt and no memory for 10,000 events", {
  timeout: 60_000,
}, async () => {
  const { log, receiver, webhooks, start } = await place();
  await webhooks.close();
  await receiver.refuse();
  // The pace of a real server.
  const real = await start(usualPace);
  const record = async (runs: number) => {
    for (let count = 0; count < runs; count++) await (await startRun(log, 1)).add(...Array(99).fill("run.paused"));
  };
  await record(70);
  await until(() => expect(status(real).state).toBe("out_of_reach"));
  // The log itself keeps its newest events in memory, for all readers.
  const before = heldBytes();
  const began = performance.now();
  await record(100);
  const seconds = (performance.now() - began) / 1_000;
  expect(heldBytes() - before).toBeLessThan(24e6);
  expect(status(real).failed_attempts).toBeLessThan(5 + seconds);
  expect(status(real).runs_behind + status(real).events_behind / 100).toBeGreaterThanOrEqual(100);
  const row = await log.rows.find("cursors", `webhook ${status(real).webhook_id}`);
  expect(row?.state?.length).toBeLessThan(100 * (64 + 512));
  await receiver.listen();
  real.enable(status(real).webhook_id, { fromNow: true });
  const run = await startRun(log, 1);
  await until(() => expect(receiver.accepted().map(({ run_id }) => run_id)).toContain(run.run_id));
});

it("lets a request end that is being sent when the server stops", async () => {
  const { log, receiver, webhooks, start } = await place();
  const answer = Promise.withResolvers<number>();
  receiver.behave(() => answer.promise);
  await startRun(log, 1);
  await until(() => expect(receiver.requests).toHaveLength(1));
  const closing = webhooks.close();
  answer.resolve(204);
  await closing;
  const again = await start();
  expect(status(again)).toMatchObject({ delivered: 1, runs_behind: 0 });
  expect(receiver.requests).toHaveLength(1);
});

it("makes a secret for each receiver, which only its owner can read", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), "spoor-webhooks-"));
  const log = openLogSync({ directory, durability: "process" });
  const open = () =>
    startWebhooks({
      log,
      directory,
      urls: ["http://127.0.0.1:9/a", "http://me:word@127.0.0.1:9/b?token=hidden", "http://127.0.0.1:9/a"],
      types: ["run.*"],
      onNotice: () => {},
    });
  const webhooks = await open();
  onTestFinished(async () => {
    await log.close();
    await rm(directory, { recursive: true });
  });
  const listed = webhooks.list();
  expect(listed.map(({ url }) => url)).toEqual(["http://127.0.0.1:9/a", "http://…@127.0.0.1:9/b?…"]);
  const secrets = await Promise.all(listed.map(({ secret_place }) => readFile(secret_place, "utf8")));
  expect(new Set(secrets).size).toBe(2);
  for (const secret of secrets) expect(secret).toMatch(/^whsec_[\w+/]{43}=\n$/);
  expect((await stat(listed[0]?.secret_place ?? "")).mode & 0o777).toBe(0o600);
  await webhooks.close();
  const again = await open();
  expect(await readFile(again.list()[0]?.secret_place ?? "", "utf8")).toBe(secrets[0]);
  await again.close();
});
