import { describe, expect, it, onTestFinished } from "vitest";
import { draft, serve, startRun, stored } from "../../../testing/server/serve.ts";
import { createSseReader, framesOf, liveFrames, type SseFrame } from "../../../testing/server/sse-reader.ts";
import { openLogSync } from "../../log/open.ts";

const sse = { accept: "text/event-stream" };
const events = (frames: readonly SseFrame[]) => frames.filter(({ event }) => event === "message");

describe("the stream of a run", () => {
  it("begins with a resume frame, then delivers every event under its sequence, and ends with the run", async () => {
    const { log, get } = await serve();
    const run = await startRun(log, 700);
    await run.finish();
    const response = await get(`/v1/tasks/${run.task_id}/runs/${run.run_id}/events`, sse);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    });
    const reader = createSseReader();
    const [first, ...rest] = reader.feed(await response.text());
    expect(reader.retry).toBeGreaterThan(0);
    expect(first).toMatchObject({ event: "resume", id: undefined });
    expect(JSON.parse(first?.data ?? "")).toEqual({
      status: "ok",
      schema_version: "1",
      after_sequence: -1,
      run_id: run.run_id,
    });
    expect(rest.map(({ id }) => id)).toEqual(Array.from({ length: 701 }, (_, sequence) => `${sequence}`));
    expect(rest.map(({ data }) => `${data}\n`).join("")).toBe(await stored(log, run.run_id));
  });

  it("delivers new events, and ends shortly after the terminal event with what follows it", async () => {
    const { log, get } = await serve({ linger: 300 });
    const run = await startRun(log, 3);
    const response = await get(`/v1/runs/${run.run_id}/events?after_sequence=1`, sse);
    const ids: (string | undefined)[] = [];
    for await (const frame of liveFrames(response)) {
      if (frame.event !== "message") continue;
      ids.push(frame.id);
      if (frame.id === "2") await run.add(2);
      if (frame.id === "4") await run.finish();
      if (frame.id === "5") await run.add("acme.said");
    }
    expect(ids).toEqual(["2", "3", "4", "5", "6"]);
  });

  it("also ends for a reader whose filter leaves the terminal event out", async () => {
    const { log, get } = await serve();
    const run = await startRun(log, 3);
    const response = await get(`/v1/runs/${run.run_id}/events?event_type=acme.said`, sse);
    await run.add("acme.said", 5);
    await run.finish();
    expect(events(await framesOf(response)).map(({ id }) => id)).toEqual(["3"]);
    const again = await get(`/v1/runs/${run.run_id}/events?event_type=acme.said`, { ...sse, "last-event-id": "3" });
    expect(again.status).toBe(204);
  });

  it("prefers Last-Event-ID to the query, and answers 204 at the end of a finished run", async () => {
    const { log, get } = await serve();
    const run = await startRun(log, 5);
    await run.finish();
    const at = (id: string) => get(`/v1/runs/${run.run_id}/events?after_sequence=1`, { ...sse, "last-event-id": id });
    expect(events(await framesOf(await at("3"))).map(({ id }) => id)).toEqual(["4", "5"]);
    expect((await at("5")).status).toBe(204);
    expect((await get(`/v1/runs/${run.run_id}/events?after_sequence=5`, sse)).status).toBe(204);
    await run.add("acme.late");
    expect(events(await framesOf(await at("5"))).map(({ id }) => id)).toEqual(["6"]);
  });

  it.each([
    ["after_sequence=x", {}],
    ["after_sequence=-2", {}],
    ["after_sequence=1.5", {}],
    ["after_sequence=1e3", {}],
    ["after_sequence=9007199254740993", {}],
    ["after_sequence=1&after_sequence=2", {}],
    ["after_sequence=%201", {}],
    ["", { "last-event-id": "evt_1" }],
    ["", { "last-event-id": "99999999999999999999" }],
    ["granularity=letter", {}],
    ["event_type=nodots", {}],
  ])("refuses %s %j", async (query, headers) => {
    const { log, get } = await serve();
    const run = await startRun(log);
    const response = await get(`/v1/runs/${run.run_id}/events?${query}`, { ...sse, ...headers });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { request_id: response.headers.get("x-request-id") } });
  });

  it("reports a gap when the next events were pruned, and when the cursor is beyond the end", async () => {
    const { log, get } = await serve();
    const run = await startRun(log, 10);
    await run.finish();
    await log.upkeep.prune(run.run_id, 4, "operator");
    const resumed = async (cursor: number) => {
      const [first, ...rest] = await framesOf(await get(`/v1/runs/${run.run_id}/events?after_sequence=${cursor}`, sse));
      const { status, after_sequence } = JSON.parse(first?.data ?? "");
      return { status, after_sequence, ids: rest.map(({ id }) => Number(id)) };
    };
    expect(await resumed(-1)).toEqual({ status: "gap", after_sequence: -1, ids: [4, 5, 6, 7, 8, 9, 10] });
    expect(await resumed(2)).toMatchObject({ status: "gap", ids: [4, 5, 6, 7, 8, 9, 10] });
    expect(await resumed(4)).toMatchObject({ status: "ok", ids: [5, 6, 7, 8, 9, 10] });
    expect(await resumed(99)).toEqual({ status: "gap", after_sequence: 10, ids: [] });
  });

  it("moves every reader's cursor to the end of a finished run, also one that got no events or was beyond it", async () => {
    const { log, get } = await serve();
    const run = await startRun(log, 5);
    await run.finish();
    const target = `/v1/runs/${run.run_id}/events?event_type=acme.never`;
    for (const headers of [sse, { ...sse, "last-event-id": "99" }]) {
      const text = await (await get(target, headers)).text();
      expect(text.endsWith("\n\nid: 5\n\n")).toBe(true);
      expect(text).not.toMatch(/^data: .*acme/m);
    }
    expect((await get(target, { ...sse, "last-event-id": "5" })).status).toBe(204);
  });

  it("ignores the case of the Accept header", async () => {
    const { log, get } = await serve();
    const run = await startRun(log, 2);
    await run.finish();
    const response = await get(`/v1/runs/${run.run_id}/events`, { accept: "Text/Event-Stream" });
    expect(await framesOf(response)).not.toEqual([]);
  });

  it("does not treat a caller's events as gaps or deltas", async () => {
    const { log, get } = await serve();
    const run = await startRun(log);
    await run.add("gap.events_of_mine", "acme.price_delta");
    await run.finish();
    const response = await get(`/v1/runs/${run.run_id}/events?after_sequence=0&granularity=block`, sse);
    const [first, ...rest] = await framesOf(response);
    expect(JSON.parse(first?.data ?? "")).toMatchObject({ status: "ok" });
    expect(rest.map(({ id }) => id)).toEqual(["1", "2", "3"]);
  });

  it("sends comments as heartbeats, which move no cursor", async () => {
    const { log, get } = await serve({ heartbeat: 20 });
    const run = await startRun(log);
    const response = await get(`/v1/runs/${run.run_id}/events`, sse);
    const reader = createSseReader();
    const decoder = new TextDecoder();
    const frames: SseFrame[] = [];
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      frames.push(...reader.feed(decoder.decode(chunk)));
      if (reader.comments.length >= 3) break;
    }
    expect(frames.map(({ id }) => id)).toEqual([undefined, "0"]);
  });

  it.each([
    [
      "block",
      ["run.created", "user.message", "turn.started", "tool.invoked", "assistant.text_complete", "run.finished"],
    ],
    ["turn", ["run.created", "user.message", "turn.started", "assistant.text_complete", "run.finished"]],
  ])("with granularity %s leaves out the finer events", async (granularity, types) => {
    const { log, get } = await serve();
    const run = await startRun(log);
    await run.add(
      "user.message",
      "turn.started",
      20,
      "tool.invoked",
      "tool.shell.output_chunk",
      "assistant.text_complete",
    );
    await run.finish();
    const frames = events(await framesOf(await get(`/v1/runs/${run.run_id}/events?granularity=${granularity}`, sse)));
    expect(frames.map(({ data }) => JSON.parse(data).type)).toEqual(types);
    expect(frames.map(({ id, data }) => `${JSON.parse(data).sequence}` === id)).not.toContain(false);
    const lines = (await stored(log, run.run_id)).split("\n");
    for (const { data } of frames) expect(lines).toContain(data);
  });
});

describe("the stream of all runs", () => {
  it("delivers the events of several runs in the order of their positions, from any position", async () => {
    const { log, get } = await serve();
    const [one, two] = [await startRun(log, 3), await startRun(log, 3, "codex")];
    const response = await get("/v1/events/stream");
    const seen: SseFrame[] = [];
    for await (const frame of liveFrames(response)) {
      if (frame.event !== "message") continue;
      seen.push(frame);
      if (seen.length === 6) await Promise.all([one.add(2), two.add(2), one.add("acme.done")]);
      if (seen.length === 11) break;
    }
    const positions = seen.map(({ id }) => Number(id));
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    expect(new Set(positions).size).toBe(11);
    for await (const frame of liveFrames(await get("/v1/events/stream", { "last-event-id": `${positions[8]}` }))) {
      if (frame.event !== "message") continue;
      expect(frame).toEqual(seen[9]);
      break;
    }
  });

  it("continues from the end of a list at once, also when another process has just committed for another task", async () => {
    const { log, directory, get } = await serve();
    const other = openLogSync({ directory, durability: "process" });
    onTestFinished(() => other.close());
    const [mine, theirs] = [await startRun(log), await startRun(log)];
    for (let round = 0; round < 5; round++) {
      await other.append([{ run_id: theirs.run_id, drafts: [draft("acme.done")] }]);
      const page = await get(`/v1/events?task_id=${mine.task_id}`);
      const { next_after_sequence } = (await page.json()) as { next_after_sequence: number };
      const stream = await get(`/v1/events/stream?task_id=${mine.task_id}&after_sequence=${next_after_sequence}`);
      for await (const { data } of liveFrames(stream)) {
        expect(JSON.parse(data)).toMatchObject({ status: "ok", after_sequence: next_after_sequence });
        break;
      }
    }
  });

  it("can be filtered by task, agent or type", async () => {
    const { log, get } = await serve();
    const [one, two] = [await startRun(log, 3), await startRun(log, 3, "codex")];
    const first = async (query: string, count: number) => {
      const response = await get(`/v1/events/stream?${query}`);
      const seen: { run_id: string; type: string }[] = [];
      await one.add("acme.done");
      await two.add("acme.done");
      for await (const { event, data } of liveFrames(response)) {
        if (event === "message") seen.push(JSON.parse(data));
        if (seen.length === count) break;
      }
      return seen;
    };
    expect((await first(`task_id=${two.task_id}`, 4)).map(({ run_id }) => run_id)).toEqual(Array(4).fill(two.run_id));
    expect((await first("agent=claude", 5)).map(({ run_id }) => run_id)).toEqual(Array(5).fill(one.run_id));
    expect((await first("event_type=acme.done", 6)).map(({ type }) => type)).toEqual(Array(6).fill("acme.done"));
  });
});
