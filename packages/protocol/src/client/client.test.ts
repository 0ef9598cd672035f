import { expect, test } from "vitest";
import { type Answer, sendError, sendJson, serveRun, startFakeServer } from "../../testing/client/fake-server.ts";
import { collect, quickClient, smallRun, story } from "../../testing/client/runs.ts";
import type { RunRecord } from "../api/records.ts";
import { viewOf } from "../view/fold.ts";
import type { RunView } from "../view/types.ts";
import { createSpoorClient } from "./client.ts";

const record: RunRecord = {
  run_id: "run_01K9ZC0000SP00R00000000000",
  task_id: "task_01K9ZC0000SP00R00000000000",
  agent: "claude",
  kind: "agent",
  status: "completed",
  created_at: "2026-11-02T09:00:00Z",
  updated_at: "2026-11-02T09:00:00Z",
  first_sequence: 0,
  last_sequence: 5,
  last_position: 5,
  head: "0".repeat(64),
  bytes: 1200,
};

test("runs and tasks are listed and fetched, with filters and token", async () => {
  await using server = await startFakeServer(({ path }, response) =>
    /s$/.test(path)
      ? sendJson(response, { object: "list", data: [record], has_more: true })
      : sendJson(response, { object: path.split("/")[2]?.slice(0, -1), data: record }),
  );
  // The type of the platform's own fetch is compatible.
  const client = createSpoorClient({ url: `${server.url}/`, token: async () => "dummy", fetch: globalThis.fetch });
  expect(await client.runs.list({ agent: "a&b", status: "running", limit: 5 })).toMatchObject({ has_more: true });
  expect(await client.runs.get("run_1/../x")).toEqual(record);
  expect((await client.tasks.list()).data).toEqual([record]);
  expect(await client.tasks.get("task_1")).toEqual(record);
  expect(server.requests.map(({ path, query }) => `${path}?${query}`)).toEqual([
    "/v1/runs?agent=a%26b&status=running&limit=5",
    "/v1/runs/run_1%2F..%2Fx?",
    "/v1/tasks?",
    "/v1/tasks/task_1?",
  ]);
  expect(server.requests.every(({ headers }) => headers.authorization === "Bearer dummy")).toBe(true);
});

test("an invalid address is rejected at once, and the error quotes it", () => {
  for (const url of ["127.0.0.1:8765", "localhost:8765", "ws://localhost:8765"]) {
    expect(() => createSpoorClient({ url })).toThrow(expect.objectContaining({ code: "bad_url", retryable: false }));
  }
  for (const url of ["", "/spoor", "HTTP://localhost:8765/"]) createSpoorClient({ url });
});

test("a token that cannot be read, or that is not allowed in a header, is reported as a token error", async () => {
  await using server = await startFakeServer((_, response) => sendJson(response, { object: "list", data: [] }));
  const refuse = () => {
    throw new Error("locked");
  };
  for (const token of ["geheim\u2028", refuse, () => Promise.reject(new Error("locked"))]) {
    const client = createSpoorClient({ url: server.url, token });
    await expect(client.runs.list()).rejects.toMatchObject({ name: "SpoorClientError", code: "bad_token" });
  }
  expect(server.requests).toEqual([]);
});

test("a client can wait forever", async () => {
  await using server = await startFakeServer((_, response) =>
    setTimeout(() => sendJson(response, { object: "list", data: [], has_more: false }), 50),
  );
  const client = quickClient(server.url, { staleAfterMs: Number.POSITIVE_INFINITY });
  expect(await client.runs.list()).toMatchObject({ data: [] });
  expect(server.requests).toHaveLength(1);
});

const paged =
  (run = smallRun(7)): Answer =>
  ({ after, query }, response) => {
    const limit = Number(query.get("limit") ?? 200);
    const rest = run.filter(({ sequence }) => sequence > after);
    const data = rest.slice(0, limit);
    const next_after_sequence = data.at(-1)?.sequence ?? after;
    sendJson(response, { object: "list", data, has_more: rest.length > limit, next_after_sequence });
  };

test("events of a run and of all runs are listed page by page", async () => {
  await using server = await startFakeServer(paged());
  const client = quickClient(server.url);
  const pages = await collect(client.events.list("run_1", { limit: 3 }));
  expect(pages.map(({ data }) => data.length)).toEqual([3, 3, 1]);
  expect(pages.flatMap(({ data }) => data)).toEqual(smallRun(7));
  const later = await collect(client.events.list({ all: true, event_type: "a.b" }, { after: 4 }));
  expect(later.map(({ data }) => data.length)).toEqual([2]);
  expect(server.requests.at(-1)).toMatchObject({ path: "/v1/events", after: 4 });
});

test("a list that reports more but returns the same cursor is an error, not an endless loop", async () => {
  const page = { object: "list", data: [], has_more: true, next_after_sequence: -1 };
  await using server = await startFakeServer((_, response) => sendJson(response, page));
  await expect(collect(quickClient(server.url).events.list("run_1"))).rejects.toMatchObject({ code: "bad_response" });
});

test("a request is retried a few times while the server is down", async () => {
  await using server = await startFakeServer(({ index }, response) =>
    index < 2 ? sendError(response, 503, "starting") : sendJson(response, { object: "run", data: record }),
  );
  const client = quickClient(server.url);
  expect(await client.runs.get("run_1")).toEqual(record);
  await using broken = await startFakeServer((_, response) => response.socket?.destroy());
  await expect(quickClient(broken.url).runs.get("run_1")).rejects.toMatchObject({ code: "network" });
  expect(broken.requests.length).toBeGreaterThanOrEqual(3);
});

test.for(["", "null", "[]", "<h1>Sign in</h1>", '{"object":"list"}'])("an answer of %j is rejected", async (body) => {
  await using server = await startFakeServer((_, response) => response.end(body));
  await expect(quickClient(server.url).runs.get("run_1")).rejects.toMatchObject({ code: "bad_response" });
});

test("a request without an answer ends after the timeout, or when its signal is aborted", async () => {
  await using server = await startFakeServer(() => {});
  await expect(quickClient(server.url, { staleAfterMs: 50 }).runs.get("run_1")).rejects.toMatchObject({
    code: "timeout",
  });
  const signal = AbortSignal.timeout(50);
  await expect(quickClient(server.url).runs.get("run_1", { signal })).rejects.toMatchObject({ name: "TimeoutError" });
});

test("all attempts to post an event use one key, and another event uses another key", async () => {
  const receipt = { object: "receipt", run_id: "run_1", type: "a.b", sequence: 3, position: 9, repeated: false };
  await using server = await startFakeServer(({ index }, response) =>
    index === 1 ? sendError(response, 500, "disk_full") : sendJson(response, receipt, 201),
  );
  const client = quickClient(server.url);
  for (const note of ["first", "second"]) expect(await client.post("run_1", { note })).toEqual(receipt);
  await client.post("run_1", { type: "a.b", data: { x: 1 } }, { idempotencyKey: "mine" });
  expect(server.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
    ["POST", "/v1/runs/run_1/events", '{"note":"first"}'],
    ["POST", "/v1/runs/run_1/events", '{"note":"second"}'],
    ["POST", "/v1/runs/run_1/events", '{"note":"second"}'],
    ["POST", "/v1/runs/run_1/events", '{"type":"a.b","data":{"x":1}}'],
  ]);
  const [first, second, again, last] = server.requests.map(({ headers }) => headers["idempotency-key"]);
  expect(first).not.toBe(second);
  expect(second).toBe(again);
  expect(last).toBe("mine");
});

test("a rejected post is reported and not retried", async () => {
  await using server = await startFakeServer((_, response) => sendError(response, 422, "invalid_event"));
  await expect(quickClient(server.url).post("run_1", {})).rejects.toMatchObject({ code: "invalid_event", status: 422 });
  expect(server.requests.length).toBe(1);
});

test("waitForEnd returns the status and the view of the run", async () => {
  const run = story("crashed");
  await using server = await startFakeServer(serveRun(run));
  const { status, view } = await quickClient(server.url).waitForEnd("run_1");
  expect(status).toBe("failed");
  expect(view).toEqual(viewOf(run));
});

test("if the terminal event was pruned, the status comes from the run's record", async () => {
  await using server = await startFakeServer(({ path }, response) =>
    path.endsWith("events")
      ? response.writeHead(204).end()
      : sendJson(response, { object: "run", data: { ...record, status: "cancelled" } }),
  );
  expect((await quickClient(server.url).waitForEnd("run_1")).status).toBe("cancelled");
});

test("the last live view equals the fold of the whole run, however slowly it is read", async () => {
  const run = story("success");
  await using server = await startFakeServer(serveRun(run));
  for (const pause of [0, 30]) {
    const views: RunView[] = [];
    for await (const view of quickClient(server.url).view("run_1", { everyMs: 1 })) {
      views.push(view);
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    }
    expect(views.at(-1)).toEqual(viewOf(run));
    expect(new Set(views).size).toBe(views.length);
  }
});

test("leaving a live view closes the connection, and its failure is thrown to the reader", async () => {
  const dropped = Promise.withResolvers<void>();
  await using server = await startFakeServer((request, response) => {
    if (request.path.includes("gone")) return sendError(response, 404, "run_not_found");
    response.on("close", dropped.resolve);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: ${JSON.stringify(smallRun(2)[0])}\n\n`);
  });
  const client = quickClient(server.url);
  for await (const view of client.view("run_1")) {
    expect(view.lastSequence).toBe(0);
    break;
  }
  await dropped.promise;
  await expect(collect(client.view("gone"))).rejects.toMatchObject({ code: "run_not_found" });
});
