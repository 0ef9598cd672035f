import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { curlOfEvent, curlOfList } from "./curl.ts";
import { type EventRow, eventsPath, type ReadPage } from "./event-source.ts";
import { EventWindow } from "./event-window.ts";
import { familyOf, gistOf } from "./gist.ts";
import { jsonTokens } from "./json-tokens.ts";
import { splitObjects } from "./split-objects.ts";
import { readTypeFilter } from "./type-filter.ts";

describe("the text of a page", () => {
  it("is split into the objects as they are stored", () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue())), (objects) => {
        const lines = objects.map((object) => JSON.stringify(object));
        expect(splitObjects(lines.join(","))).toEqual(lines);
      }),
    );
    const odd = String.raw`{"a":"}\\","b":1.50,"b":1e3,"c":{"d":"\"{"}}`;
    expect(splitObjects(`${odd},${odd}`)).toEqual([odd, odd]);
  });

  it("is set on lines without changing a value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = [...jsonTokens(JSON.stringify(value))].map((token) => token.text).join("");
        expect(text).toBe(JSON.stringify(value, null, 2));
      }),
    );
    const stored = '{"n":1.50,"big":12345678901234567890,"n":2}';
    const shown = [...jsonTokens(stored)].map(({ text }) => text).join("");
    expect(shown.replaceAll(/\s/g, "")).toBe(stored);
  });

  it("can be cut anywhere", () => {
    const text = JSON.stringify({ a: ['x"y', { b: "\\" }], c: null });
    for (let end = 0; end <= text.length; end += 1) {
      const shown = [...jsonTokens(text.slice(0, end))].map((token) => token.text).join("");
      expect(shown.replaceAll(/\s/g, "")).toBe(text.slice(0, end).replaceAll(/\s/g, ""));
    }
  });
});

describe("the filter of types", () => {
  it.each([
    ["tool.*, turn.started", ["tool.*", "turn.started"], 0],
    ["tool", ["tool.*"], 0],
    ["", [], 0],
    ["*", [], 0],
    ["TOOL.*", ["tool.*"], 0],
    ["acme.done", ["acme.done"], 1],
    ["tool.*x, <b>", [], 2],
  ])("reads %o", (text, types, notes) => {
    const filter = readTypeFilter(text);
    expect(filter.types).toEqual(types);
    expect(filter.notes).toHaveLength(notes);
  });
});

describe("a gist", () => {
  it("is one short, safe line for every event of the golden runs", () => {
    const folder = path.join(import.meta.dirname, "../../../protocol/fixtures/envelopes");
    for (const name of readdirSync(folder)) {
      for (const line of readFileSync(path.join(folder, name), "utf8").trimEnd().split("\n")) {
        const envelope = JSON.parse(line);
        const gist = gistOf(envelope);
        expect(gist.length).toBeLessThan(1_600);
        expect(gist).not.toMatch(/[\n\r\t]|undefined|\[object/);
        expect(familyOf(envelope.type)).toBeTypeOf("string");
      }
    }
  });

  it("survives any payload, and shows marks that reorder text as codes", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("tool.completed", "turn.completed", "cost.tick", "a.b"),
        fc.jsonValue(),
        (type, data) => {
          expect(gistOf({ type, data: data as never })).toBeTypeOf("string");
        },
      ),
    );
    expect(gistOf({ type: "session.ended", data: { total_usd: 0.009441999999999999, done: true } })).toBe(
      "total usd 0.009442 · done true",
    );
    expect(gistOf({ type: "assistant.text_delta", data: { delta: "a\u202eb" } })).toBe("“a\\u202eb”");
    expect(gistOf({ type: "turn.completed", data: { turn_index: 1, duration_ms: 5, tool_calls: 1 } })).toBe(
      "turn 1 · 5 ms · 1 call",
    );
  });
});

describe("a copied command", () => {
  it("names the list as the page shows it, and never a token", () => {
    const selection = { runId: "run_1", types: ["tool.*", "turn.started"], granularity: "block" } as const;
    expect(curlOfList("http://h:1", selection)).toBe(
      `curl -s -H "Authorization: Bearer $TOKEN" 'http://h:1/v1/runs/run_1/events?event_type=tool.*,turn.started&granularity=block'`,
    );
    expect(curlOfEvent("http://h:1", "run_1", 49)).toContain("after_sequence=48");
    expect(eventsPath({ types: [], granularity: "delta" })).toBe("/v1/events");
  });
});

describe("the window", () => {
  /** A list of events whose cursors are these. */
  function listOf(cursors: number[], limit = 50): { read: ReadPage; last: () => Promise<number>; pages: () => number } {
    let pages = 0;
    const row = (cursor: number): EventRow => ({ cursor, line: `{"sequence":${cursor}}` });
    return {
      pages: () => pages,
      last: async () => cursors.at(-1) ?? -1,
      async read(after, { limit: wanted = limit } = {}) {
        pages += 1;
        const later = cursors.filter((cursor) => cursor > after);
        const rows = later.slice(0, wanted).map(row);
        const hasMore = later.length > rows.length;
        return {
          rows,
          hasMore,
          next: hasMore ? (rows.at(-1)?.cursor ?? after) : Math.max(after, cursors.at(-1) ?? -1),
        };
      },
    };
  }
  const open = (cursors: number[]) => {
    const list = listOf(cursors);
    return { list, window: new EventWindow({ ...list, window: 200, page: 50 }) };
  };
  const cursorsOf = (window: EventWindow) => window.read().rows.map(({ cursor }) => cursor);
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

  it("begins at the end, and reads older pages without a hole or a double", async () => {
    const { window } = open(range(0, 1_000));
    await window.toEnd();
    expect(cursorsOf(window)).toEqual(range(950, 1_000));
    for (let pages = 0; pages < 6; pages += 1) await window.older();
    expect(cursorsOf(window)).toEqual(range(650, 850));
    expect(window.read()).toMatchObject({ hasOlder: true, hasNewer: true, shifted: 50 });
    for (let pages = 0; pages < 5; pages += 1) await window.newer();
    expect(cursorsOf(window)).toEqual(range(800, 1_000));
    expect(window.read()).toMatchObject({ hasOlder: true, hasNewer: false });
  });

  it("looks back further under a filter, because missing numbers are no gaps", async () => {
    const sparse = range(0, 40).map((index) => index * 100);
    const { window } = open(sparse);
    await window.toEnd();
    expect(cursorsOf(window)).toEqual(sparse);
    expect(window.read().hasOlder).toBe(false);
  });

  it("shows the events around one, and nothing twice whatever is asked in which order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(3_000), { maxLength: 600 }),
        fc.array(fc.constantFrom("older", "newer", "toEnd", "grow"), { maxLength: 12 }),
        fc.nat(3_000),
        async (unsorted, calls, start) => {
          const cursors = unsorted.toSorted((one, other) => one - other);
          const { window } = open(cursors);
          await window.around(start);
          for (const call of calls)
            await (call === "grow" ? window.grow({ count: 1, upTo: 3_000 }, true) : window[call as "older"]());
          const shown = cursorsOf(window);
          expect(shown.length).toBeLessThanOrEqual(200);
          const [first = 0, last = -1] = [shown[0], shown.at(-1)];
          expect(shown).toEqual(cursors.filter((cursor) => cursor >= first && cursor <= last));
          if (!window.read().hasOlder && shown.length > 0) expect(first).toBe(cursors[0]);
          if (!window.read().hasNewer && shown.length > 0) expect(last).toBe(cursors.at(-1));
        },
      ),
    );
  });

  it("counts what came in while its reader looks elsewhere", async () => {
    const cursors = range(0, 100);
    const { window } = open(cursors);
    await window.toEnd();
    cursors.push(100, 101);
    await window.grow({ count: 2, upTo: 101 }, false);
    expect(window.read()).toMatchObject({ fresh: 2, hasNewer: true });
    expect(cursorsOf(window).at(-1)).toBe(99);
    await window.toEnd();
    expect(window.read()).toMatchObject({ fresh: 0, hasNewer: false });
    expect(cursorsOf(window).at(-1)).toBe(101);
  });

  it("does not count what it read before it was told of it", async () => {
    const cursors = range(0, 100);
    const { window } = open(cursors);
    await window.toEnd();
    cursors.push(100, 101);
    await window.newer();
    await window.grow({ count: 2, upTo: 101 }, false);
    expect(window.read()).toMatchObject({ fresh: 0, hasNewer: false });
    cursors.push(102);
    await window.grow({ count: 3, upTo: 102 }, false);
    expect(window.read()).toMatchObject({ fresh: 1, hasNewer: true });
  });

  it("says why it could not read, and can try again", async () => {
    let isBroken = true;
    const list = listOf(range(0, 10));
    const window = new EventWindow({
      last: list.last,
      read: (after, options) => (isBroken ? Promise.reject(new Error("no network")) : list.read(after, options)),
    });
    await window.toEnd();
    expect(window.read()).toMatchObject({ state: "failed", problem: "no network" });
    isBroken = false;
    await window.toEnd();
    expect(window.read().state).toBe("ready");
    expect(cursorsOf(window)).toEqual(range(0, 10));
  });
});
