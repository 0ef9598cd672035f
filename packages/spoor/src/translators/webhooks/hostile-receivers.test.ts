import { afterEach, expect, it, vi } from "vitest";
import { startRun } from "../../../testing/server/serve.ts";
import { place, status, until } from "../../../testing/webhooks/place.ts";
import { sequencesByRun } from "../../../testing/webhooks/receiver.ts";

afterEach(() => {
  vi.useRealTimers();
});

it("does not collect connections of answers that do not end", { timeout: 30_000 }, async () => {
  const { log, receiver, webhooks } = await place();
  receiver.behave(() => "endless");
  for (let count = 0; count < 12; count++) await startRun(log, 1);
  await until(() => expect(status(webhooks)).toMatchObject({ delivered: 12, failed_attempts: 0 }));
  expect(receiver.requests).toHaveLength(12);
  // Four requests at a time, and four connections that are just being closed.
  expect(receiver.mostConnections()).toBeLessThanOrEqual(8);
});

it("tries an event again at once when a connection that was kept open breaks", async () => {
  const { log, receiver, webhooks } = await place({ refused: { first: 60_000, longest: 60_000 } });
  receiver.behave(() => (receiver.requests.length % 2 === 1 ? "cut" : 204));
  const run = await startRun(log, 1);
  await run.add("run.paused", "run.unpaused", "run.paused");
  await until(() => expect(status(webhooks)).toMatchObject({ delivered: 4, failed_attempts: 0 }));
  expect(receiver.requests.map(({ sequence }) => sequence)).toEqual([0, 1, 1, 2, 2, 3, 3]);
});

it.each([502, 503])("lets only the run wait whose event alone gets %i, and says so once", async (code) => {
  const { log, receiver, webhooks, notices } = await place({ refused: { first: 30_000, longest: 30_000 } });
  const bad = await startRun(log, 1);
  receiver.behave(({ run_id }) => (run_id === bad.run_id ? code : 204));
  await until(async () => {
    const { run_id } = await startRun(log, 1);
    await until(() => expect(sequencesByRun(receiver.accepted())[run_id]).toEqual([0]));
    expect(status(webhooks).waiting_runs).toMatchObject([{ run_id: bad.run_id, sequence: 0 }]);
  });
  const [attempts, lines] = [receiver.requests.filter(({ run_id }) => run_id === bad.run_id).length, notices.length];
  for (let count = 0; count < 10; count++) await (await startRun(log, 1)).finish();
  await until(() => expect(status(webhooks)).toMatchObject({ state: "delivering", runs_behind: 1, events_behind: 0 }));
  expect(receiver.requests.filter(({ run_id }) => run_id === bad.run_id)).toHaveLength(attempts);
  expect(notices).toHaveLength(lines);
});

it("waits no longer because the clock is set back", async () => {
  const { log, receiver, webhooks } = await place();
  receiver.behave(() => 500);
  const run = await startRun(log, 1);
  await until(() => expect(status(webhooks).waiting_runs).toHaveLength(1));
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 86_400_000 });
  const before = receiver.requests.length;
  await until(() => expect(receiver.requests.length).toBeGreaterThan(before + 2));
  await receiver.refuse();
  await until(() => expect(status(webhooks).state).toBe("out_of_reach"));
  vi.setSystemTime(Date.now() - 86_400_000);
  receiver.behave(() => 204);
  await receiver.listen();
  await until(() => expect(sequencesByRun(receiver.accepted())).toEqual({ [run.run_id]: [0] }));
});

it("gives no event up because the clock jumps, the server was away or the receiver was out of reach", async () => {
  const { log, receiver, webhooks, start } = await place({ maxAge: 60_000 });
  receiver.behave(() => 500);
  const run = await startRun(log, 1);
  await until(() => expect(status(webhooks).waiting_runs[0]?.attempts).toBeGreaterThan(1));
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 7 * 86_400_000 });
  const before = receiver.requests.length;
  await until(() => expect(receiver.requests.length).toBeGreaterThan(before + 2));
  await webhooks.close();
  vi.setSystemTime(Date.now() + 7 * 86_400_000);
  const again = await start();
  await until(() => expect(status(again).waiting_runs[0]?.attempts).toBeGreaterThan(5));
  expect(status(again).given_up).toBe(0);
  vi.useRealTimers();
  receiver.behave(() => 204);
  await until(() => expect(sequencesByRun(receiver.accepted())).toEqual({ [run.run_id]: [0] }));
});

it("keeps the order of a run when its backlog is skipped while it is sent", async () => {
  const { log, receiver, webhooks } = await place();
  const run = await startRun(log, 1);
  await until(() => expect(receiver.accepted()).toHaveLength(1));
  const answer = Promise.withResolvers<number>();
  receiver.behave(() => answer.promise);
  await run.add(...Array(6).fill("run.paused"));
  await until(() => expect(receiver.requests).toHaveLength(2));
  receiver.behave(() => 204);
  webhooks.enable(status(webhooks).webhook_id, { fromNow: true });
  await run.add("run.unpaused");
  await (await startRun(log, 1)).finish();
  answer.resolve(204);
  await until(() => expect(receiver.accepted()).toHaveLength(5));
  // The request that was under way ended first, and the rest of the backlog was not sent.
  expect(sequencesByRun(receiver.accepted())[run.run_id]).toEqual([0, 1, 7]);
});
