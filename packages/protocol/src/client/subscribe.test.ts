import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import {
  type Answer,
  frame,
  frames,
  openStream,
  resume,
  type Seen,
  sendAndDrop,
  sendError,
  serveRun,
  startFakeServer,
  streamOf,
} from "../../testing/client/fake-server.ts";
import { collect, quickClient, quickClock, smallRun, story } from "../../testing/client/runs.ts";
import { lost, pruned } from "../../testing/stories/gaps.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { SpoorClientError } from "./errors.ts";
import type { SubscriptionState } from "./follow-stream.ts";

const RUN = "run_01K9ZC0000SP00R00000000000";

/** Sends these answers first, in turn; then serves the run correctly. */
const after =
  (run: readonly Envelope[], ...first: Answer[]): Answer =>
  (request, response) =>
    (first[request.index] ?? serveRun(run))(request, response);

const sequences = (envelopes: readonly Envelope[]) => envelopes.map(({ sequence }) => sequence);

test("a finished run is delivered completely and in order, and then the subscription ends", async () => {
  const run = story("success");
  await using server = await startFakeServer(serveRun(run));
  const subscription = quickClient(server.url).subscribe(RUN);
  expect(await collect(subscription)).toEqual(run);
  expect(subscription.cursor).toBe(run.length - 1);
  expect(server.requests.map(({ path, after, headers }) => [path, after, headers.accept])).toEqual([
    [`/v1/runs/${RUN}/events`, -1, "text/event-stream"],
    [`/v1/runs/${RUN}/events`, run.length - 1, "text/event-stream"],
  ]);
});

test.for(["dropped", "ended", "ended by a goodbye"])(
  "a connection that is %s after any byte neither loses nor repeats an event",
  { timeout: 120_000 },
  async (how) => {
    const run = smallRun(3);
    const bytes = Buffer.from(streamOf(run, -1));
    await using server = await startFakeServer((request, response) => {
      const cut = Number(/\d+/.exec(request.path.replace("/v1", ""))?.[0]);
      if (request.after >= 0 || broken.has(cut)) return serveRun(run)(request, response);
      broken.add(cut);
      if (how === "dropped") return sendAndDrop(response, bytes.subarray(0, cut));
      openStream(response).write(bytes.subarray(0, cut));
      response.end(how === "ended" ? "" : '\n\nevent: bye\ndata: {"reason":"stopping"}\n\n');
    });
    const broken = new Set<number>();
    const client = quickClient(server.url);
    for (let first = 0; first <= bytes.length; first += 50) {
      const cuts = Array.from({ length: Math.min(50, bytes.length + 1 - first) }, (_, index) => first + index);
      const got = await Promise.all(cuts.map((cut) => collect(client.subscribe(`run_${cut}`))));
      for (const envelopes of got) expect(envelopes).toEqual(run);
    }
    expect(broken.size).toBe(bytes.length + 1);
  },
);

test("a subscription survives connections that each die a little later than the previous one", async () => {
  const run = smallRun(12);
  await using server = await startFakeServer((request, response) => {
    const bytes = Buffer.from(streamOf(run, request.after));
    if (request.after === 11) return serveRun(run)(request, response);
    sendAndDrop(response, bytes.subarray(0, request.index * 20));
  });
  expect(await collect(quickClient(server.url).subscribe(RUN))).toEqual(run);
  expect(server.requests.length).toBeGreaterThan(12);
});

test("an event that is delivered twice is yielded once", async () => {
  const run = smallRun(6);
  const twice = (_: Seen, response: ServerResponse) =>
    openStream(response).end(resume() + frames(run.slice(0, 4)) + frames(run.slice(1, 5)) + frames(run));
  await using server = await startFakeServer(after(run, twice));
  expect(await collect(quickClient(server.url).subscribe(RUN))).toEqual(run);
});

test("missing events are detected, and the client reconnects after the last good event", async () => {
  const run = smallRun(6);
  const skipEvents = (_: Seen, response: ServerResponse) =>
    openStream(response).end(resume() + frames(run.filter(({ sequence }) => sequence !== 2)));
  await using server = await startFakeServer(after(run, skipEvents));
  expect(await collect(quickClient(server.url).subscribe(RUN))).toEqual(run);
  expect(server.requests.map((request) => request.after)).toEqual([-1, 1, 5]);
});

test.for(["a hole", "a goodbye"])(
  "after %s the old connection is closed before the next one is opened",
  async (what) => {
    const run = smallRun(6);
    const closed = Promise.withResolvers<void>();
    const rest = what === "a hole" ? frames(run.slice(4)) : "event: bye\ndata: {}\n\n";
    const first: Answer = (_, response) => {
      response.on("close", closed.resolve);
      openStream(response).write(resume() + frames(run.slice(0, 2)) + rest);
    };
    const second: Answer = async (request, response) => {
      await closed.promise;
      serveRun(run)(request, response);
    };
    await using server = await startFakeServer(after(run, first, second));
    expect(await collect(quickClient(server.url).subscribe(RUN))).toEqual(run);
  },
);

test("events that stay missing are an error with a code, not an endless retry", async () => {
  const run = smallRun(6).filter(({ sequence }) => sequence !== 2);
  await using server = await startFakeServer(serveRun(run));
  const subscription = quickClient(server.url).subscribe(RUN);
  const got: Envelope[] = [];
  const reading = (async () => {
    for await (const envelope of subscription) got.push(envelope);
  })();
  await expect(reading).rejects.toMatchObject({
    code: "broken_stream",
    message: "Events are missing: after sequence 1 the server sent 3.",
  });
  expect(sequences(got)).toEqual([0, 1]);
});

test.for(["nonsense", "[]", "null", '{"sequence":0}', '{"sequence":-0.5,"type":"a.b","run_id":"r","data":{}}'])(
  "a frame that contains %s is not passed on",
  async (data) => {
    const run = smallRun(2);
    const bad = (_: Seen, response: ServerResponse) =>
      openStream(response).end(`${resume()}data: ${data}\n\n${frames(run)}`);
    await using server = await startFakeServer(after(run, bad));
    expect(await collect(quickClient(server.url).subscribe(RUN))).toEqual(run);
  },
);

test.for([
  ["pruned", pruned()],
  ["lost", lost()],
] as const)("a gap event for events that were %s is passed on, and reading continues", async ([, lines]) => {
  const run = lines.map((line): Envelope => JSON.parse(line));
  await using server = await startFakeServer(serveRun(run));
  expect(await collect(quickClient(server.url).subscribe(RUN))).toEqual(run);
});

test("a gap event that covers only a part of the missing events is an error", async () => {
  const [first, ...others] = smallRun(6) as [Envelope, ...Envelope[]];
  const gap = { ...others[3], type: "gap.events_lost", data: { first_lost_sequence: 2, last_lost_sequence: 4 } };
  const run = [first, gap as Envelope];
  await using server = await startFakeServer(serveRun(run));
  await expect(collect(quickClient(server.url).subscribe(RUN))).rejects.toMatchObject({ code: "broken_stream" });
});

test("skipped sequences of a coarser granularity are not missing events", async () => {
  const run = smallRun(9).filter(({ sequence }) => sequence % 4 === 0);
  await using server = await startFakeServer(serveRun(run));
  expect(await collect(quickClient(server.url).subscribe(RUN, { granularity: "block" }))).toEqual(run);
  expect(server.requests[0]?.query.get("granularity")).toBe("block");
});

test("reading continues after a cursor, and yields nothing at the end of a finished run", async () => {
  const run = smallRun(6);
  await using server = await startFakeServer(serveRun(run));
  const client = quickClient(server.url);
  expect(sequences(await collect(client.subscribe(RUN, { after: 3 })))).toEqual([4, 5]);
  expect(await collect(client.subscribe(RUN, { after: 5 }))).toEqual([]);
});

test("a server that never answers 204 ends the stream by sending nothing after a terminal event", async () => {
  const run = smallRun(3);
  await using server = await startFakeServer(({ after }, response) => openStream(response).end(streamOf(run, after)));
  expect(await collect(quickClient(server.url).subscribe(RUN))).toEqual(run);
});

test("events after the terminal event are not lost when the connection ends between them", async () => {
  const run = story("patch-applied-and-reverted");
  const end = run.findIndex(({ type }) => type === "run.finished");
  expect(end).toBeLessThan(run.length - 1);
  const early = (_: Seen, response: ServerResponse) => openStream(response).end(streamOf(run.slice(0, end + 1), -1));
  await using server = await startFakeServer(after(run, early));
  expect(await collect(quickClient(server.url).subscribe(RUN))).toEqual(run);
});

test.for([500, 502, 503, 429, 408])("%i is retried", async (status) => {
  const run = smallRun(3);
  const refuse: Answer = (_, response) => sendError(response, status, "busy");
  await using server = await startFakeServer(after(run, refuse, refuse, refuse));
  expect(await collect(quickClient(server.url).subscribe(RUN))).toEqual(run);
});

test.for([400, 401, 403, 404, 410])("%i is thrown at once, with the server's message", async (status) => {
  await using server = await startFakeServer((_, response) => sendError(response, status, "not_yours"));
  const error = await collect(quickClient(server.url).subscribe(RUN)).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(SpoorClientError);
  expect(error).toMatchObject({ status, code: "not_yours", message: "No.", hint: "Do otherwise.", requestId: "req_1" });
  expect(server.requests.length).toBe(1);
});

test("an error in another format still has a code", async () => {
  await using server = await startFakeServer((_, response) => response.writeHead(404).end("<h1>nginx</h1>"));
  await expect(collect(quickClient(server.url).subscribe(RUN))).rejects.toMatchObject({ code: "http_404" });
});

test("a token that is rejected in the middle of a run is thrown after the events before it", async () => {
  const run = smallRun(6);
  const refuse: Answer = (_, response) => sendError(response, 401, "unauthorized");
  await using server = await startFakeServer((request, response) =>
    request.index === 0 ? sendAndDrop(response, streamOf(run.slice(0, 3), -1)) : refuse(request, response),
  );
  const subscription = quickClient(server.url, { token: "dummy" }).subscribe(RUN);
  await expect(collect(subscription)).rejects.toMatchObject({ code: "unauthorized", status: 401 });
  expect(server.requests[0]?.headers.authorization).toBe("Bearer dummy");
});

test.for([
  ["a page", { "content-type": "text/html" }, "<h1>Sign in</h1>", "bad_response"],
  ["another version", { "content-type": "text/event-stream" }, resume("ok", "2"), "unsupported_schema"],
  ["a frame without end", { "content-type": "text/event-stream" }, `data: ${"x".repeat(2000)}`, "frame_too_large"],
] as const)("%s instead of a stream is an error that is not tried again", async ([, headers, body, code]) => {
  await using server = await startFakeServer((_, response) => response.writeHead(200, headers).end(body));
  const subscription = quickClient(server.url, { maxFrameLength: 1000 }).subscribe(RUN);
  await expect(collect(subscription)).rejects.toMatchObject({ code, retryable: false });
  expect(server.requests.length).toBe(1);
});

test("a log that ends before the cursor is an error, because new events would reuse sequence numbers", async () => {
  const run = smallRun(6);
  const rewound = resume("gap", "1", 3) + frames(run.slice(4));
  await using server = await startFakeServer((_, response) => openStream(response).end(rewound));
  const subscription = quickClient(server.url).subscribe(RUN, { after: 5 });
  await expect(collect(subscription)).rejects.toMatchObject({ code: "cursor_ahead", retryable: false });
});

test.for([
  [JSON.stringify({ error: { code: "damaged", message: "No." } }), "damaged"],
  ["nonsense", "closed"],
])("an error frame (%s) causes a new connection", async ([data, code]) => {
  const run = smallRun(4);
  const failing: Answer = (_, response) =>
    openStream(response).end(`${resume()}${frames(run.slice(0, 2))}event: error\ndata: ${data}\n\n`);
  await using server = await startFakeServer(after(run, failing));
  const states: SubscriptionState[] = [];
  const onState = (state: SubscriptionState) => states.push(state);
  expect(await collect(quickClient(server.url).subscribe(RUN, { onState }))).toEqual(run);
  expect(states.find(({ state }) => state === "waiting")).toMatchObject({ error: { code } });
});

test("a silent connection is closed, before its response and after", async () => {
  const run = smallRun(6);
  const noAnswer: Answer = () => {};
  const noEvents: Answer = (_, response) => openStream(response).write(streamOf(run.slice(0, 3), -1));
  await using server = await startFakeServer(after(run, noAnswer, noEvents));
  const states: SubscriptionState[] = [];
  const subscription = quickClient(server.url, { staleAfterMs: 300 }).subscribe(RUN, {
    onState: (state) => states.push(state),
  });
  expect(await collect(subscription)).toEqual(run);
  const waits = states.filter((state) => state.state === "waiting");
  expect(waits.length).toBeGreaterThanOrEqual(2);
  expect(waits[0]?.error.code).toBe("timeout");
});

test("a server that accepts connections and never answers is treated like one that is down", async () => {
  await using server = await startFakeServer(() => {});
  const subscription = quickClient(server.url, { staleAfterMs: 60 }).subscribe(RUN, { maxFailures: 2 });
  await expect(collect(subscription)).rejects.toMatchObject({ code: "timeout", retryable: true });
});

test("heartbeats keep an idle connection open", async () => {
  const run = smallRun(2);
  const clock = quickClock();
  let heartbeats = 0;
  const quiet: Answer = (_, response) => {
    openStream(response).write(streamOf(run.slice(0, 1), -1));
    const timer = setInterval(() => {
      heartbeats += 1;
      clock.time += 15_000;
      response.write(": still here\n\n");
      if (heartbeats < 20) return;
      clearInterval(timer);
      response.end(frames(run.slice(1)));
    }, 20);
  };
  await using server = await startFakeServer(after(run, quiet));
  expect(await collect(quickClient(server.url, { clock, staleAfterMs: 45_000 }).subscribe(RUN))).toEqual(run);
  expect(server.requests.length).toBe(2);
});

test("a slow reader does not count as a silent server", async () => {
  const run = smallRun(6);
  const clock = quickClock();
  const rested = Promise.withResolvers<void>();
  await using server = await startFakeServer(
    after(run, async (_, response) => {
      openStream(response).write(streamOf(run.slice(0, 1), -1));
      await rested.promise;
      response.end(frames(run.slice(1)));
    }),
  );
  const got: Envelope[] = [];
  for await (const envelope of quickClient(server.url, { clock }).subscribe(RUN)) {
    got.push(envelope);
    clock.time += 3_600_000;
    await new Promise((resolve) => setTimeout(resolve, 50));
    rested.resolve();
  }
  expect(got).toEqual(run);
  expect(server.requests.length).toBe(2);
});

test("a machine that slept closes its old connection after waking", async () => {
  const run = smallRun(4);
  const clock = quickClock();
  const silent: Answer = (_, response) => {
    openStream(response).write(streamOf(run.slice(0, 2), -1));
    const sleepOn = setInterval(() => {
      clock.time += 3_600_000;
    }, 50);
    response.on("close", () => clearInterval(sleepOn));
  };
  await using server = await startFakeServer(after(run, silent));
  expect(await collect(quickClient(server.url, { clock }).subscribe(RUN))).toEqual(run);
});

test("the states are reported in order, with the resume status and the reason for each wait", async () => {
  const run = smallRun(3);
  const gone: Answer = (_, response) => openStream(response).end(`${resume("gap")}event: bye\ndata: {}\n\n`);
  const refuse: Answer = (_, response) => sendError(response, 503, "starting");
  await using server = await startFakeServer(after(run, refuse, gone));
  const states: string[] = [];
  const onState = (state: SubscriptionState) => {
    if (state.state === "live") states.push(`live ${state.resume}`);
    else states.push(state.state === "waiting" ? `waiting ${state.error.code}` : state.state);
  };
  await collect(quickClient(server.url).subscribe(RUN, { onState }));
  expect(states).toEqual([
    ...["connecting", "waiting starting", "connecting", "live gap", "waiting closed"],
    ...["connecting", "live ok", "connecting", "ended"],
  ]);
});

test("a server that is down is retried up to the given limit", async () => {
  const { url } = await (async () => {
    await using server = await startFakeServer(() => {});
    return server;
  })();
  const states: SubscriptionState[] = [];
  const subscription = quickClient(url).subscribe(RUN, { maxFailures: 3, onState: (state) => states.push(state) });
  await expect(collect(subscription)).rejects.toMatchObject({ code: "network", retryable: true });
  expect(states.filter(({ state }) => state === "connecting").length).toBe(4);
  expect(states.at(-1)).toMatchObject({ state: "ended", error: { code: "network" } });
});

test("waits grow with each failure up to a cap, and start over after an event", async () => {
  const run = smallRun(2);
  const refuse: Answer = (_, response) => sendError(response, 500, "down");
  const some: Answer = (_, response) => sendAndDrop(response, streamOf(run.slice(0, 1), -1));
  await using server = await startFakeServer(after(run, refuse, refuse, refuse, refuse, some, refuse));
  const waits: number[] = [];
  await collect(
    quickClient(server.url, { backOff: { baseMs: 100, capMs: 400 }, clock: quickClock() }).subscribe(RUN, {
      onState: (state) => state.state === "waiting" && waits.push(state.delayMs),
    }),
  );
  expect(waits).toEqual([75, 150, 300, 300, 75, 75]);
});

test("an aborted signal ends the iteration with its reason, whatever it was waiting for", async () => {
  const run = smallRun(6);
  const hang: Answer = (_, response) => openStream(response).write(streamOf(run.slice(0, 2), -1));
  for (const answer of [hang, () => {}, (_: Seen, response: ServerResponse) => sendError(response, 500, "down")]) {
    await using server = await startFakeServer(answer);
    const controller = new AbortController();
    const reason = new Error("enough");
    const client = quickClient(server.url, { backOff: { baseMs: 60_000, capMs: 60_000 } });
    const reading = collect(
      client.subscribe(RUN, {
        signal: controller.signal,
        onState: () => setTimeout(() => controller.abort(reason), 20),
      }),
    );
    await expect(reading).rejects.toBe(reason);
  }
});

test("leaving the loop and close() end it without an error and close the connection", async () => {
  const run = smallRun(6);
  const dropped = Promise.withResolvers<void>();
  await using server = await startFakeServer((_, response) => {
    response.on("close", dropped.resolve);
    openStream(response).write(streamOf(run.slice(0, 2), -1));
  });
  const client = quickClient(server.url);
  for await (const _ of client.subscribe(RUN)) break;
  await dropped.promise;
  const subscription = client.subscribe(RUN);
  const got: Envelope[] = [];
  for await (const envelope of subscription) {
    got.push(envelope);
    if (envelope.sequence === 1) setTimeout(() => subscription.close(), 20);
  }
  expect(sequences(got)).toEqual([0, 1]);
  const early = client.subscribe(RUN);
  for await (const envelope of early) {
    expect(envelope.sequence).toBe(0);
    early.close();
  }
  expect(early.cursor).toBe(0);
  const unread = client.subscribe(RUN);
  unread.close();
  expect(await collect(unread)).toEqual([]);
});

test("all runs are followed by position across dropped connections and repeats, with filters", async () => {
  const events = [...smallRun(3), ...smallRun(3), ...smallRun(2)].map((envelope, index) => ({
    envelope,
    position: index * 3,
  }));
  await using server = await startFakeServer(({ after, index }, response) => {
    const rest = events.filter(({ position }) => position > after);
    if (rest.length === 0) return response.writeHead(204).end();
    const text = resume() + rest.map(({ envelope, position }) => frame(envelope, position)).join("");
    if (index < 4) return sendAndDrop(response, text.slice(0, text.length / 2));
    openStream(response).end(text + frame(smallRun(1)[0] as Envelope, 3));
  });
  const subscription = quickClient(server.url).subscribe({ all: true, event_type: ["a.b", "c.d"], agent: "claude" });
  expect(await collect(subscription)).toEqual(events.map(({ envelope }) => envelope));
  expect(subscription.cursor).toBe(21);
  const [first] = server.requests;
  expect([first?.path, first?.query.get("event_type"), first?.query.get("agent")]).toEqual([
    "/v1/events/stream",
    "a.b,c.d",
    "claude",
  ]);
});
