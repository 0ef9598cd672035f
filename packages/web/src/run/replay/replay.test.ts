import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type Envelope, spansOf, timeSegments, viewOf } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import type { ReadLines } from "../../events/read-lines.ts";
import { advance } from "./play-clock.ts";
import { createReplayIndex } from "./replay-index.ts";
import { ReplayStore } from "./replay-store.ts";

const folder = path.join(import.meta.dirname, "../../../../protocol/fixtures/envelopes");
const golden = readdirSync(folder).map((name) => ({
  name,
  lines: readFileSync(path.join(folder, name), "utf8").trimEnd().split("\n"),
}));

/** A log in memory. It counts what was read. */
function logOf(lines: readonly string[]): { read: ReadLines; count: () => number } {
  let count = 0;
  return {
    count: () => count,
    async read({ after = -1, signal }, each) {
      for (const line of lines) {
        await Promise.resolve();
        signal?.throwIfAborted();
        if (JSON.parse(line).sequence <= after) continue;
        count += 1;
        if (each(line) === false) return;
      }
    },
  };
}

/** The envelopes up to a moment, by the times of the spans: no time is before that of the event before it. */
function upTo(envelopes: readonly Envelope[], time: number): Envelope[] {
  return envelopes.filter((_, index) => spansOf(envelopes.slice(0, index + 1)).last <= time);
}

describe("the past of a run", () => {
  it.each(golden)("is the fold of the events up to each moment of $name, forwards and backwards", async ({ lines }) => {
    const envelopes: Envelope[] = lines.map((line) => JSON.parse(line));
    const index = createReplayIndex(logOf(lines).read, { keepEvery: 7 });
    const times = [...new Set(envelopes.map((_, cut) => spansOf(envelopes.slice(0, cut + 1)).last))];
    for (const time of [...times, ...times.toReversed(), (times.at(-1) ?? 0) + 5_000]) {
      expect(await index.viewAt(time)).toEqual(viewOf(upTo(envelopes, time)));
    }
  });

  it("is found from a kept view, so that a jump reads few events again", async () => {
    const [first] = golden[0]?.lines ?? [];
    const envelope: Envelope = JSON.parse(first ?? "");
    const lines = Array.from({ length: 1_000 }, (_, sequence) =>
      JSON.stringify({
        ...envelope,
        sequence,
        type: "debug.log",
        data: { stream: "stdout", line: `${sequence}` },
        occurred_at: new Date(Date.parse(envelope.occurred_at) + sequence * 10).toISOString(),
      }),
    );
    const log = logOf(lines);
    const index = createReplayIndex(log.read, { keepEvery: 50 });
    await index.viewAt(10_000);
    const before = log.count();
    expect((await index.viewAt(4_321)).lastSequence).toBe(432);
    expect(log.count() - before).toBeLessThanOrEqual(50);
    expect((await index.viewAt(4_400)).lastSequence).toBe(440);
    expect(log.count() - before).toBeLessThanOrEqual(50);
  });

  it("grows with a run that goes on", async () => {
    const lines = [...(golden.find(({ name }) => name === "success.jsonl")?.lines ?? [])];
    const known = lines.slice(0, 10);
    const index = createReplayIndex(logOf(known).read, { keepEvery: 4 });
    expect((await index.viewAt(1e9)).lastSequence).toBe(9);
    known.push(...lines.slice(10));
    expect((await index.viewAt(1e9)).lastSequence).toBe(lines.length - 1);
  });

  it("says why it cannot be read, and can be asked again", async () => {
    const lines = golden[0]?.lines ?? [];
    let isBroken = true;
    const index = createReplayIndex(async (options, each) => {
      if (isBroken) throw new Error("The server answered with status 500.");
      await logOf(lines).read(options, each);
    });
    await expect(index.viewAt(5)).rejects.toThrow("status 500");
    isBroken = false;
    expect((await index.viewAt(1e9)).lastSequence).toBe(lines.length - 1);
  });
});

describe("playing", () => {
  const segments = timeSegments(
    [
      { kind: "turn", from: 0, to: 4_000, sequence: 0 },
      { kind: "wait", from: 1_000, to: 3_601_000, sequence: 1 },
    ],
    3_605_000,
  );

  it("runs at its speed, and cuts idle times and waits to one second", () => {
    expect(advance(0, 500, 1, segments)).toBe(500);
    expect(advance(0, 100, 8, segments)).toBe(800);
    expect(advance(0, 1_000 + 1_000, 1, segments)).toBe(3_601_000);
    expect(advance(1_000, 500, 60, segments)).toBe(1_801_000);
    expect(advance(3_601_000, 1_000, 1, segments)).toBe(3_605_000);
    expect(advance(3_605_000, 50, 1, segments)).toBe(3_605_000);
  });

  it("shows the run as it was, moves on with each frame, and ends at the present", async () => {
    const lines = golden.find(({ name }) => name === "lifecycle-approved.jsonl")?.lines ?? [];
    let [now, frame] = [0, () => {}];
    const store = new ReplayStore(createReplayIndex(logOf(lines).read), undefined, {
      now: () => now,
      frame: (callback) => {
        frame = callback;
        return 1;
      },
      cancelFrame: () => {
        frame = () => {};
      },
    });
    const { spans, end = 0 } = spansOf(lines.map((line) => JSON.parse(line)));
    store.setSegments(timeSegments(spans, end));
    store.setSpeed(1);
    store.play();
    for (now = 10; now <= 100; now += 10) frame();
    expect(store.read()).toMatchObject({ at: 100, isPlaying: true });
    store.pause();
    await expect.poll(() => store.read().view?.tools[0]?.state).toBe("running");
    expect(store.read().view?.status).toBe("running");
    store.play();
    for (; store.read().at !== undefined; now += 200) frame();
    expect(store.read()).toEqual({ isPlaying: false, speed: 1 });
  });
});
