import { expect, test } from "vitest";
import { sendAndDrop, serveRun, startFakeServer, streamOf } from "../../testing/client/fake-server.ts";
import { collect, quickClient, story } from "../../testing/client/runs.ts";
import type { AgentEvent } from "../agent-events/catalog.ts";
import { createDecoder } from "../mapping/decode.ts";

const run = story("success");
const decoder = createDecoder();
const decoded = run.map((envelope) => ({ sequence: envelope.sequence, event: decoder.decode(envelope) }));
const eventsAfter = (after: number) =>
  decoded.flatMap(({ sequence, event }) => (sequence > after && event ? [event] : []));

test("a run can be followed as AgentEvents across dropped connections", async () => {
  await using server = await startFakeServer((request, response) => {
    const text = streamOf(run, request.after);
    if (request.index > 6) return serveRun(run)(request, response);
    sendAndDrop(response, text.slice(0, text.length / 3));
  });
  const events = await collect(quickClient(server.url).subscribe(run[0]?.run_id ?? "", { as: "events" }));
  expect(events).toEqual(eventsAfter(-1));
});

test("starting at any cursor yields the same events as reading the whole run from there", async () => {
  await using server = await startFakeServer(serveRun(run));
  const client = quickClient(server.url);
  for (const { sequence: after } of run) {
    const events = await collect(client.subscribe("run_1", { as: "events", after }));
    expect(events).toEqual(eventsAfter(after));
  }
});

test("saved state continues after any event without reading the run again", async () => {
  await using server = await startFakeServer(serveRun(run));
  const client = quickClient(server.url);
  const subscription = client.subscribe("run_1", { as: "events" });
  const places: [seen: number, saved: string][] = [];
  let seen = 0;
  for await (const _ of subscription) {
    seen += 1;
    places.push([seen, JSON.stringify(subscription.save())]);
  }
  const whole = eventsAfter(-1);
  for (const [count, saved] of places) {
    const start = server.requests.length;
    const rest: AgentEvent[] = await collect(client.subscribe("run_1", { as: "events", ...JSON.parse(saved) }));
    expect(rest).toEqual(whole.slice(count));
    expect(server.requests[start]?.after).toBe(JSON.parse(saved).after);
  }
});

test("state saved before the first event contains the start of the subscription", async () => {
  await using server = await startFakeServer(serveRun(run));
  const client = quickClient(server.url);
  expect(client.subscribe("run_1", { as: "events", after: 20 }).save()).toEqual({ after: 20 });
  expect(client.subscribe("run_1", { as: "events", after: 20 }).cursor).toBe(20);
});
