import { viewOf } from "@spoor/protocol";
import { SpoorClientError } from "@spoor/protocol/client";
import { describe, expect, it } from "vitest";
import { event, world } from "../../testing/live/world.ts";
import { createSlices } from "./schedule.ts";

describe("a run", () => {
  it("shows its row first, nothing of its events until all are read, and then one snapshot per frame", async () => {
    const { stores, put, pass, frame, ofRun } = world();
    put("run_01", { title: "Fix it" });
    const store = stores.of("run_01");
    let shown = 0;
    store.subscribe(() => (shown += 1));
    expect(store.read()).toMatchObject({ state: "loading" });
    await pass(0);
    await frame();
    expect(store.read()).toMatchObject({ state: "loading", record: { title: "Fix it" } });
    const [subscription] = ofRun("run_01");
    expect(subscription?.selection).toMatchObject({ after: -1, granularity: "delta" });
    subscription?.reader.events([event("run_01", 0, "run.created"), event("run_01", 1)]);
    await frame();
    expect(store.read().state).toBe("loading");
    subscription?.reader.caughtUp?.();
    await frame();
    expect(store.read()).toMatchObject({ state: "ready", view: { lastSequence: 1 } });
    shown = 0;
    for (let sequence = 2; sequence < 50; sequence++) subscription?.reader.events([event("run_01", sequence)]);
    await frame();
    expect(shown).toBe(1);
    expect(store.read().view).toEqual(
      viewOf(Array.from({ length: 50 }, (_, at) => event("run_01", at, at === 0 ? "run.created" : undefined))),
    );
    expect(store.read().spans?.lastSequence).toBe(49);
  });

  it("that is long and over is read without pieces, and followed again when something happens after its end", async () => {
    const { stores, put, pass, frame, ofRun, happen, begin } = world();
    put("run_01", { status: "completed", state: "done", ended_at: "2026-11-02T10:00:00Z", last_sequence: 6_000 });
    const store = stores.of("run_01");
    store.subscribe(() => {});
    await pass(0);
    begin();
    const [first] = ofRun("run_01");
    expect(first?.selection).toMatchObject({ granularity: "block" });
    first?.reader.events([event("run_01", 0, "run.created"), event("run_01", 9, "run.finished")]);
    Object.assign(first ?? {}, { cursor: 9 });
    first?.reader.caughtUp?.();
    first?.reader.ended?.();
    await frame();
    expect(store.read()).toMatchObject({ state: "ready", view: { status: "completed" } });
    happen(event("run_01", 9, "run.finished"));
    expect(ofRun("run_01")).toHaveLength(1);
    happen(event("run_01", 10, "artifact.patch_applied"));
    expect(ofRun("run_01")).toHaveLength(2);
    expect(ofRun("run_01")[1]?.selection).toMatchObject({ after: 9, granularity: "block" });
  });

  it("that is long and goes on is read without pieces up to its last turn, and whole from there", async () => {
    const { stores, put, pass, frame, ofRun } = world();
    put("run_01", { last_sequence: 6_000 });
    const store = stores.of("run_01");
    store.subscribe(() => {});
    await pass(0);
    const text = (turn_index: number, words: object) => ({ turn_index, block_index: 0, ...words });
    const settled = [
      event("run_01", 0, "run.created"),
      event("run_01", 1, "turn.started", { turn_index: 1 }),
      event("run_01", 9, "assistant.text_complete", text(1, { text: "First." })),
      event("run_01", 10, "turn.completed", { turn_index: 1 }),
    ];
    const second = [
      event("run_01", 11, "turn.started", { turn_index: 2 }),
      event("run_01", 12, "tool.invoked", { tool_call_id: "t1", tool_name: "Task" }),
    ];
    // It begins while a call still runs, so the turn before it is not settled.
    const third = event("run_01", 20, "turn.started", { turn_index: 3 });
    const [blocks] = ofRun("run_01");
    expect(blocks?.selection).toMatchObject({ after: -1, granularity: "block" });
    blocks?.reader.events([...settled, ...second]);
    blocks?.reader.events([third]);
    blocks?.reader.caughtUp?.();
    await frame();
    expect(store.read().state).toBe("loading");
    const [, rest] = ofRun("run_01");
    expect(ofRun("run_01")).toMatchObject([{ isOpen: false }, { isOpen: true }]);
    expect(rest?.selection).toMatchObject({ after: 10, granularity: "delta" });
    const pieces = [...second, third, event("run_01", 21, "assistant.text_delta", text(3, { delta: "Thi" }))];
    rest?.reader.events(pieces);
    rest?.reader.caughtUp?.();
    await frame();
    expect(store.read()).toMatchObject({ state: "ready", view: viewOf([...settled, ...pieces]) });
  });

  it("whose events cannot all be read is shown as far as they go", async () => {
    const { stores, put, pass, frame, ofRun } = world();
    put("run_01");
    const store = stores.of("run_01");
    store.subscribe(() => {});
    await pass(0);
    const [subscription] = ofRun("run_01");
    subscription?.reader.events([event("run_01", 0, "run.created"), event("run_01", 1)]);
    subscription?.reader.failed?.(new SpoorClientError("broken_stream", "Events are missing.", { retryable: true }));
    await frame();
    expect(store.read()).toMatchObject({ state: "ready", view: { lastSequence: 1 } });
  });

  it("is shared by its screens, kept for a minute, and then dropped", async () => {
    const { stores, put, pass, ofRun } = world();
    put("run_01");
    const leave = [stores.of("run_01"), stores.of("run_01")].map((store) => store.subscribe(() => {}));
    await pass(100);
    expect(ofRun("run_01")).toHaveLength(1);
    for (const stop of leave) stop();
    await pass(30_000);
    const back = stores.of("run_01").subscribe(() => {});
    expect(ofRun("run_01")).toMatchObject([{ isOpen: true }]);
    await pass(120_000);
    expect(ofRun("run_01")).toMatchObject([{ isOpen: true }]);
    back();
    await pass(61_000);
    expect(ofRun("run_01")).toMatchObject([{ isOpen: false }]);
  });

  it("that does not exist is missing, until it is created", async () => {
    const { stores, put, pass, frame, happen, begin, ofRun } = world();
    const store = stores.of("run_01");
    store.subscribe(() => {});
    await pass(0);
    await frame();
    expect(store.read().state).toBe("missing");
    put("run_01");
    begin();
    happen(event("run_01", 0, "run.created"));
    await pass(1_000);
    await frame();
    expect(store.read().state).toBe("loading");
    expect(ofRun("run_01")).toHaveLength(1);
  });
});

describe("the list of runs", () => {
  it("reads pages, renews touched rows at most twice a second, and adds new runs on top", async () => {
    const { runs, put, pass, frame, happen, begin, requests } = world();
    for (let number = 10; number < 80; number++) put(`run_${number}`);
    const list = runs({ limit: 30 });
    list.subscribe(() => {});
    await pass(0);
    await frame();
    begin();
    await pass(0);
    await frame();
    expect(list.read()).toMatchObject({ state: "ready", hasMore: true });
    expect(
      list
        .read()
        .runs.map(({ run_id }) => run_id)
        .slice(0, 2),
    ).toEqual(["run_79", "run_78"]);
    list.read().loadMore();
    await pass(0);
    await frame();
    expect(list.read().runs).toHaveLength(60);

    requests.length = 0;
    put("run_78", { now: "Runs npm test" });
    for (let number = 0; number < 20; number++) {
      happen(event("run_78", number));
      await pass(50);
    }
    await frame();
    expect(list.read().runs[1]).toMatchObject({ now: "Runs npm test" });
    expect(requests.length).toBeLessThanOrEqual(3);

    put("run_80");
    happen(event("run_80", 0, "run.created"));
    await pass(600);
    await frame();
    expect(list.read().runs[0]?.run_id).toBe("run_80");
    // An older run than those that were loaded stays for its page.
    happen(event("run_11", 9));
    await pass(600);
    await frame();
    expect(list.read().runs.map(({ run_id }) => run_id)).not.toContain("run_11");
    list.read().loadMore();
    await pass(0);
    await frame();
    expect(list.read()).toMatchObject({ hasMore: false });
    expect(list.read().runs).toHaveLength(71);
  });

  it("with a filter gains and loses runs as they change", async () => {
    const { runs, put, pass, frame, happen, begin } = world();
    put("run_01", { state: "working" });
    put("run_02", { state: "blocked" });
    const blocked = runs({ state: "blocked" });
    blocked.subscribe(() => {});
    begin();
    await pass(0);
    await frame();
    const ids = () => blocked.read().runs.map(({ run_id }) => run_id);
    expect(ids()).toEqual(["run_02"]);
    put("run_01", { state: "blocked" });
    put("run_02", { state: "done" });
    happen(event("run_01", 3), event("run_02", 3));
    await pass(600);
    await frame();
    expect(ids()).toEqual(["run_01"]);
  });

  it("of a search is read again when a run changes that may be found now", async () => {
    const { runs, put, pass, frame, happen, begin, requests } = world();
    put("run_01");
    const found = runs({ q: "fix" });
    found.subscribe(() => {});
    begin();
    await pass(0);
    await frame();
    requests.length = 0;
    put("run_02");
    happen(event("run_02", 0));
    await pass(2_000);
    await frame();
    expect(requests.filter((request) => request.startsWith("list"))).toHaveLength(1);
    expect(found.read().runs.map(({ run_id }) => run_id)).toEqual(["run_02", "run_01"]);
  });
});

it("work is done in slices of 8 ms", async () => {
  let time = 0;
  const tasks: (() => void)[] = [];
  const done: number[] = [];
  let idle = 0;
  const slices = createSlices<number>(
    { soon: (task) => tasks.push(task), now: () => time },
    (item) => {
      done.push(item);
      time += 0.1;
    },
    () => (idle += 1),
  );
  slices.push(Array.from({ length: 200 }, (_, at) => at));
  slices.push([200, 201]);
  const ends: number[] = [];
  for (let task = tasks.shift(); task; task = tasks.shift()) {
    const before = time;
    task();
    ends.push(Math.round(time - before));
  }
  expect(done).toEqual(Array.from({ length: 202 }, (_, at) => at));
  expect(ends).toEqual([10, 10, 1]);
  expect([idle, slices.isEmpty]).toEqual([1, true]);
});
