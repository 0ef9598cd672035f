import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { serve, startRun, stored, TOKEN } from "../../../testing/server/serve.ts";

const ndjson = { accept: "application/x-ndjson" };

describe("a page of events", () => {
  it("is a list with a cursor for the next page, until there are no more", async () => {
    const { log, get } = await serve();
    const run = await startRun(log, 450);
    const sizes: number[] = [];
    const lines: string[] = [];
    for (let cursor = -1, more = true; more; ) {
      const response = await get(`/hecate/v1/tasks/${run.task_id}/runs/${run.run_id}/events?after_sequence=${cursor}`);
      expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
      const page = (await response.json()) as List;
      expect(page.object).toBe("list");
      sizes.push(page.data.length);
      lines.push(...page.data.map((envelope) => `${JSON.stringify(envelope)}\n`));
      cursor = page.next_after_sequence;
      more = page.has_more;
    }
    expect(sizes).toEqual([200, 200, 50]);
    expect(lines.join("")).toBe(await stored(log, run.run_id));
  });

  it("holds the stored bytes", async () => {
    const { log, get } = await serve();
    const run = await startRun(log, 20);
    const lines = (await stored(log, run.run_id)).trimEnd().split("\n");
    const text = await (await get(`/v1/runs/${run.run_id}/events`)).text();
    expect(text).toBe(`{"object":"list","data":[${lines.join(",")}],"has_more":false,"next_after_sequence":19}\n`);
  });

  it("holds the stored bytes of its own run, also with many requests at once and clients that hang up", async () => {
    const { log, get, server } = await serve();
    const runs = [await startRun(log, 1_200), await startRun(log, 40)];
    // More bytes than the reused buffer holds.
    await runs[1]?.add(...Array.from({ length: 5 }, () => large));
    const texts = await Promise.all(runs.map(({ run_id }) => stored(log, run_id)));
    await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const after = ((index * 37) % 45) - 1;
        const target = `/v1/runs/${runs[index % 2]?.run_id}/events?limit=500&after_sequence=${after}`;
        if (index % 7 === 0) return hangUp(server.url, target);
        const lines = (texts[index % 2] as string).split("\n").slice(after + 1, after + 501);
        const page = await (await get(target)).text();
        const data = page.slice(page.indexOf("[") + 1, page.lastIndexOf(`],"has_more"`));
        expect(data === lines.filter(Boolean).join(",")).toBe(true);
      }),
    );
  });

  it("returns the given cursor when it is empty", async () => {
    const { log, get } = await serve();
    const run = await startRun(log, 5);
    const page = async (query: string) => (await get(`/v1/runs/${run.run_id}/events?${query}`)).json();
    const empty = { object: "list", data: [], has_more: false };
    expect(await page("after_sequence=4")).toEqual({ ...empty, next_after_sequence: 4 });
    expect(await page("after_sequence=77")).toEqual({ ...empty, next_after_sequence: 77 });
    expect(await page("event_type=acme.done&after_sequence=1")).toEqual({ ...empty, next_after_sequence: 1 });
  });

  it.each([
    ["1", 1],
    ["500", 500],
    ["501", 500],
    ["99999", 500],
  ])("with limit %s holds %i events", async (limit, size) => {
    const { log, get } = await serve();
    const run = await startRun(log, 600);
    const page = (await (await get(`/v1/runs/${run.run_id}/events?limit=${limit}`)).json()) as List;
    expect([page.data.length, page.has_more]).toEqual([size, true]);
  });

  it.each(["0", "-1", "ten", "", "1.5", "1&limit=2"])("is refused for limit=%s", async (limit) => {
    const { log, get } = await serve();
    const run = await startRun(log);
    const response = await get(`/v1/runs/${run.run_id}/events?limit=${limit}`);
    expect([response.status, ((await response.json()) as Failure).error.code]).toEqual([400, "invalid_parameter"]);
  });

  it("of all runs is ordered by position and can be filtered", async () => {
    const { log, get } = await serve();
    const [one, two] = [await startRun(log, 3), await startRun(log, 2, "codex")];
    await one.add("acme.done", 2);
    const all = (await (await get("/v1/events?limit=4")).json()) as List;
    const rest = (await (await get(`/v1/events?after_sequence=${all.next_after_sequence}`)).json()) as List;
    expect([...all.data, ...rest.data].map(({ run_id }) => run_id)).toEqual([
      ...Array(3).fill(one.run_id),
      ...Array(2).fill(two.run_id),
      ...Array(3).fill(one.run_id),
    ]);
    const of = async (query: string) => ((await (await get(`/v1/events?${query}`)).json()) as List).data.length;
    expect(await of(`task_id=${one.task_id}`)).toBe(6);
    expect(await of("agent=codex")).toBe(2);
    expect(await of("event_type=acme.done,run.created")).toBe(3);
    expect(await of("event_type=acme.done,run.created&granularity=turn&agent=claude")).toBe(1);
    expect(await of("event_type=acme.*,run.created")).toBe(await of("event_type=acme.done,run.created"));
    expect(await of("event_type=ac.*")).toBe(0);
    expect((await get("/v1/events?event_type=*")).status).toBe(400);
  });

  it("name the position of each event", async () => {
    const { log, get } = await serve();
    await startRun(log, 3);
    await startRun(log, 4);
    const page = async (query: string) => (await (await get(`/v1/events?${query}`)).json()) as List;
    const all = await page("limit=500");
    expect(all.positions).toEqual(all.data.map((_, index) => index));
    const some = await page("event_type=run.created");
    expect(some.positions?.map((position) => all.data[position])).toEqual(some.data);
    expect((await page(`after_sequence=${some.positions?.[1]}`)).data).toEqual(
      all.data.slice((some.positions?.[1] ?? 0) + 1),
    );
  });
});

describe("events as NDJSON", () => {
  it("are the stored bytes, in one answer of any size", async () => {
    const { log, get } = await serve();
    const run = await startRun(log, 1);
    for (let part = 0; part < 10; part++) await run.add(1_500);
    const response = await get(`/v1/runs/${run.run_id}/events`, ndjson);
    expect(response.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
    const text = await response.text();
    expect(text.length).toBeGreaterThan(2 * 1024 * 1024);
    expect(text === (await stored(log, run.run_id))).toBe(true);
    const some = await (await get(`/v1/runs/${run.run_id}/events?after_sequence=14999`, ndjson)).text();
    expect(some).toBe(text.slice(-some.length));
    expect(some.trimEnd().split("\n")).toHaveLength(1);
    expect(await (await get("/v1/events", ndjson)).text()).toBe(text);
  });
});

describe("runs and tasks", () => {
  it("are listed in pages, newest first", async () => {
    const { log, get } = await serve();
    const runs = [await startRun(log), await startRun(log, 2, "codex"), await startRun(log, 3)];
    await runs[0]?.finish();
    const list = async (target: string) => (await (await get(target)).json()) as { data: Record<string, unknown>[] };
    const first = (await (await get("/v1/runs?limit=2")).json()) as { data: { run_id: string }[]; next_before: string };
    expect(first).toMatchObject({ object: "list", has_more: true });
    expect(first.data.map(({ run_id }) => run_id)).toEqual([runs[2]?.run_id, runs[1]?.run_id]);
    expect(await list(`/v1/runs?before=${first.next_before}`)).toMatchObject({
      data: [{ run_id: runs[0]?.run_id, status: "completed", agent: "claude", last_sequence: 1 }],
      has_more: false,
      next_before: null,
    });
    expect((await list("/v1/runs?agent=codex")).data).toHaveLength(1);
    expect((await list("/v1/runs?status=running")).data).toHaveLength(2);
    expect((await list("/v1/tasks")).data.map(({ task_id }) => task_id)).toEqual(
      runs.map(({ task_id }) => task_id).reverse(),
    );
    expect((await list(`/v1/tasks/${runs[1]?.task_id}/runs`)).data).toHaveLength(1);
  });

  it("can be read one by one, with RFC 3339 times", async () => {
    const { log, get } = await serve();
    const run = await startRun(log);
    const shown = (await (await get(`/v1/runs/${run.run_id}`)).json()) as { data: { created_at: string } };
    const { length: bytes } = await stored(log, run.run_id);
    expect(shown).toMatchObject({
      object: "run",
      data: { run_id: run.run_id, task_id: run.task_id, head: expect.any(String), bytes },
    });
    expect(shown.data.created_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(await (await get(`/v1/tasks/${run.task_id}/runs/${run.run_id}`)).json()).toEqual(shown);
    expect(await (await get(`/v1/tasks/${run.task_id}`)).json()).toMatchObject({
      object: "task",
      data: { task_id: run.task_id, run_count: 1 },
    });
    expect(((await (await get("/v1/runs")).json()) as { data: object[] }).data).toEqual([shown.data]);
  });

  it("are not found under another task or id", async () => {
    const { log, get } = await serve();
    const [one, two] = [await startRun(log), await startRun(log)];
    for (const target of [
      `/v1/tasks/${two.task_id}/runs/${one.run_id}`,
      `/v1/tasks/${two.task_id}/runs/${one.run_id}/events`,
      `/v1/tasks/${two.task_id}/runs/${one.run_id}/stream`,
      "/v1/runs/run_nobody",
      "/v1/runs/run_nobody/events",
      "/v1/tasks/task_nobody",
      "/v1/runs/../../etc/passwd",
      "/v1/runs/..%2f..%2fetc%2fpasswd/events",
      `/v1/runs/${one.run_id}%00/events`,
      `/v1/runs/${one.run_id}/events/`,
      "//v1/runs",
      "/v2/runs",
    ]) {
      const response = await get(target);
      expect([target, response.status]).toEqual([target, 404]);
    }
  });
});

const large = { type: "acme.large", timestamp: 0, json: JSON.stringify({ text: "é".repeat(60_000) }) };

/** Sends a request and hangs up before the answer arrives. */
async function hangUp(url: string, target: string): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname).on("error", () => {});
  await once(socket, "connect");
  socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`);
  setImmediate(() => socket.destroy());
  await once(socket, "close");
}

interface List {
  object: string;
  data: { run_id: string; type: string }[];
  has_more: boolean;
  next_after_sequence: number;
  positions?: number[];
}

interface Failure {
  error: { code: string };
}
