import { createSpoorClient, type SpoorClientError } from "@spoor/protocol/client";
import { describe, expect, it } from "vitest";
import { newRunId } from "../../testing/log/drafts.ts";
import { type Served, serve, startRun } from "../../testing/server/serve.ts";
import { liveFrames, type SseFrame } from "../../testing/server/sse-reader.ts";
import { connect } from "../../testing/server/test-websocket.ts";

const DAY = 86_400_000;
const START = Date.UTC(2026, 4, 1);
const at = (day: number) => new Date(START + day * DAY).toISOString();

/** Two runs side by side from day 1 on with one event a day, and a run of days 2 and 3 that was imported later. */
async function served(): Promise<Served> {
  const made = await serve();
  const event = (day: number) => ({ type: "acme.day", timestamp: START + day * DAY, json: `{"day":${day}}` });
  const create = { agent: "toy", kind: "agent" };
  const runs = [newRunId(), newRunId()];
  for (let day = 1; day <= 6; day++) {
    for (const run_id of runs) {
      await made.log.append([{ run_id, ...(day === 1 && { create }), drafts: [event(day)] }]);
    }
  }
  await made.log.append([{ run_id: newRunId(), create, drafts: [event(2), event(3)] }]);
  return made;
}

const allDays = [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 2, 3];

const starts = [
  { since: at(0), days: allDays },
  { since: at(1), days: allDays },
  { since: at(1.5), days: allDays.slice(2) },
  { since: at(4), days: allDays.slice(6) },
  { since: "2026-05-05T02:00:00+02:00", days: allDays.slice(6) },
  { since: at(6), days: allDays.slice(10) },
  { since: at(7), days: [] },
  { from: "start" as const, days: allDays },
  { from: "now" as const, days: [] },
];

describe("reading all runs can start at a time, or now", () => {
  it.each(starts)("as a list: $since$from", async ({ days, ...start }) => {
    const { get } = await served();
    const page = (await (await get(`/v1/events?${new URLSearchParams(start)}`)).json()) as EventPage;
    expect(page.data.map(({ data }) => data.day)).toEqual(days);
    expect(page.next_after_sequence).toBe(13);
  });

  it.each(starts)("as a stream, which continues with new events: $since$from", async ({ days, ...start }) => {
    const { get, log } = await served();
    const seen = await framesWith(await get(`/v1/events/stream?${new URLSearchParams(start)}`), days.length, () =>
      startRun(log),
    );
    expect(seen.map(({ data }) => JSON.parse(data).data.day)).toEqual([...days, undefined]);
    expect(seen.map(({ id }) => Number(id))).toEqual(seen.map((_, index) => 14 - days.length + index));
  });

  it.each(starts)("over a WebSocket: $since$from", async ({ days, ...start }) => {
    const { server, log } = await served();
    const client = await connect(server.url);
    client.send({ type: "subscribe", id: "1", all: true, ...start });
    expect(await client.until(({ type }) => type === "resume")).toMatchObject({ after_sequence: 13 - days.length });
    await startRun(log);
    await client.until(({ next_after_sequence }) => next_after_sequence === 14);
    const types = client.received.flatMap((text) => JSON.parse(text).events ?? []).map(({ type }) => type);
    expect(types).toEqual([...days.map(() => "acme.day"), "run.created"]);
    client.socket.terminate();
  });

  it.each(starts)(
    "by the typed client, which knows the cursor before the first event: $since$from",
    async ({ days, ...start }) => {
      const { server, log } = await served();
      const client = createSpoorClient({ url: server.url, token: "a-token-that-is-only-for-tests" });
      const subscription = client.subscribe(
        { all: true },
        {
          ...start,
          onState: ({ state }) => {
            if (state !== "live") return;
            expect(subscription.cursor).toBe(13 - days.length);
            void startRun(log);
          },
        },
      );
      const seen: unknown[] = [];
      for await (const { data } of subscription) if (seen.push(data.day) > days.length) break;
      expect(seen).toEqual([...days, undefined]);
      const pages = [];
      for await (const page of client.events.list({ all: true }, { ...start, limit: 3 })) pages.push(...page.data);
      if (!("from" in start && start.from === "now"))
        expect(pages.slice(0, days.length).map(({ data }) => data.day)).toEqual(days);
    },
  );
});

it("a stream with from=now that is cut before its first event continues from where it started", async () => {
  const { get, log } = await served();
  const response = await get("/v1/events/stream?from=now");
  let text = "";
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    if (text.includes("id: ")) break;
  }
  // A browser keeps this id, although no event came with it, and sends it when it reconnects.
  const [, id = ""] = /^id: (\d+)$/m.exec(text) ?? [];
  await startRun(log);
  const seen = await framesWith(await get("/v1/events/stream?from=now", { "last-event-id": id }), 0);
  expect(seen.map((frame) => frame.id)).toEqual(["14"]);
});

it("times are compared within each run, also in compressed chunks", async () => {
  const { get, log } = await served();
  await log.upkeep.merge({ coldBefore: Date.now() });
  const { data } = (await (await get(`/v1/events?since=${at(4)}`)).json()) as EventPage;
  expect(data.map((event) => event.data.day)).toEqual(allDays.slice(6));
});

it.each([
  "since=yesterday",
  "since=2026-02-30T00:00:00Z",
  "since=2026-13-01T00:00:00Z",
  "since=2026-05-01",
  "since=1777593600000",
  "since=",
  "since=2026-05-01T00:00:00Z&since=2026-05-01T00:00:00Z",
  "from=then",
  "from=now&since=2026-05-01T00:00:00Z",
  "from=now&after_sequence=3",
  "since=2026-05-01T00:00:00Z&after_sequence=3",
])("an invalid start is refused: %s", async (query) => {
  const { get } = await serve();
  for (const path of ["/v1/events", "/v1/events/stream"]) {
    const response = await get(`${path}?${query}`);
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: "invalid_parameter" } }]);
  }
});

it("a WebSocket subscription to one run cannot start at a time, and no subscription can have two starts", async () => {
  const { server, log } = await serve();
  const { run_id } = await startRun(log);
  const client = await connect(server.url);
  client.send({ type: "subscribe", id: "run", run_id, from: "now" });
  client.send({ type: "subscribe", id: "both", all: true, from: "now", after_sequence: 1 });
  client.send({ type: "subscribe", id: "no time", all: true, since: "2026-02-30T00:00:00Z" });
  for (const id of ["run", "both", "no time"]) {
    expect(await client.until((message) => message.id === id)).toMatchObject({ type: "error" });
  }
  client.socket.terminate();
});

it("the typed client refuses two starts before it sends a request", () => {
  const client = createSpoorClient({ url: "http://127.0.0.1:1" });
  const wrong = () => client.subscribe({ all: true }, { from: "now", since: new Date() });
  expect(wrong).toThrow(expect.objectContaining<Partial<SpoorClientError>>({ code: "bad_start" }));
});

interface EventPage {
  data: { data: { day: number } }[];
  next_after_sequence: number;
}

/** Collects frames of events from a live stream: `count` of them, then one more after `then`. */
async function framesWith(response: Response, count: number, then?: () => Promise<unknown>): Promise<SseFrame[]> {
  const seen: SseFrame[] = [];
  for await (const frame of liveFrames(response)) {
    if (frame.event === "message") seen.push(frame);
    if (seen.length > count) break;
    if (seen.length === count) await then?.();
  }
  return seen;
}
