import { createEnvelopeWriter } from "@spoor/protocol/write";
import fc from "fast-check";
import { expect, it } from "vitest";
import { lineEnds } from "../lines.ts";
import { CHAIN_START, link } from "./chain.ts";
import { CHUNK_EVENTS } from "./chunk.ts";
import { createComposer } from "./compose.ts";
import type { RunRow } from "./run-row.ts";

const row: RunRow = {
  ...{ run: 1, run_id: "run_01K9ZC0000SP00R00000000000", task_id: "task_01K9ZC0000SP00R00000000000" },
  ...{ session_id: null, agent: "claude", kind: "agent", native_session_id: null, status: "running", facts: "{}" },
  ...{ created_at: 0, updated_at: 0, epoch: 1, last_sequence: -1, last_position: -1, last_event_id: "" },
  ...{ head: CHAIN_START, bytes: 0, crc: 0 },
};

const texts = fc.array(
  fc.string({ unit: fc.oneof(fc.constantFrom("é", "→", "\u{1f43e}", "\ud83d"), fc.string({ maxLength: 1 })) }),
);

it("writes a line for each draft, whatever its characters, and links what it wrote", () => {
  fc.assert(
    fc.property(texts, (texts) => {
      const drafts = texts.map((text) => ({ type: "acme.step", timestamp: 0, json: `{"text":"${encoded(text)}"}` }));
      const composed = createComposer(() => 1)(row, drafts);
      const lines = composed.chunks.flatMap(({ bytes }) => bytes.toString().split("\n").slice(0, -1));
      expect(lines.map((line) => JSON.parse(line).data.text)).toEqual(texts.map((text) => text.toWellFormed()));
      expect(composed.row.head).toBe(lines.reduce(link, CHAIN_START));
      expect(composed.row.bytes).toBe(Buffer.byteLength(lines.map((line) => `${line}\n`).join("")));
    }),
  );
});

it("writes the bytes that the run's writer would, whichever events follow each other in whichever runs", () => {
  const ids = fc.record({
    run_id: fc.constantFrom("run_01K9ZC0000SP00R00000000000", "run_01K9ZC0000SP00R00000000001"),
    task_id: fc.constantFrom("task_1", 'a "sequence":7 →', "long".repeat(2_000)),
    last_sequence: fc.constantFrom(-1, 7, 8, 98, 9_998, 999_999_999),
  });
  const draft = fc.record({
    type: fc.constantFrom("acme.step", "acme.other_step"),
    timestamp: fc.constantFrom(0, 1, 1_700_000_000_000),
    json: fc.oneof(fc.json(), fc.constantFrom('"→"', "x".repeat(5_000), `"${"→".repeat(4_094)}"`)),
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(ids, fc.array(draft)), { maxLength: 6 }), (appends) => {
      const compose = createComposer(() => 1);
      const known = new Map<string, string>();
      for (const [{ run_id, last_sequence, ...rest }, drafts] of appends) {
        // A run's ids are the same in each of its appends.
        const task_id = known.get(run_id) ?? rest.task_id;
        known.set(run_id, task_id);
        const write = createEnvelopeWriter({ run_id, task_id });
        const { chunks } = compose({ ...row, run_id, task_id, last_sequence }, drafts);
        const lines = chunks.flatMap(({ bytes }) => bytes.toString().split("\n").slice(0, -1));
        let latest = 0;
        const expected = drafts.map((draft, index) => {
          latest = Math.max(latest, draft.timestamp);
          const id = /evt_\w+/.exec(lines[index] ?? "")?.[0] ?? "";
          return write({ ...draft, timestamp: latest }, id, last_sequence + 1 + index);
        });
        expect(lines).toEqual(expected);
      }
    }),
  );
});

it("begins another chunk when one is full", () => {
  const drafts = Array.from({ length: CHUNK_EVENTS + 1 }, () => ({ type: "acme.step", timestamp: 0, json: "{}" }));
  const { chunks } = createComposer(() => 1)(row, drafts);
  expect(chunks.map(({ first_sequence, events }) => [first_sequence, events])).toEqual([
    [0, CHUNK_EVENTS],
    [CHUNK_EVENTS, 1],
  ]);
});

it("keeps what it gave away as it was, however much comes after it, and begins anew after a draft it could not write", () => {
  const compose = createComposer(() => 1);
  const kept: { bytes: Buffer; copy: Buffer }[] = [];
  let last = row;
  for (const size of [10, 300_000, 1, 700_000, 2_000_000, 60_000, 60_000]) {
    const draft = { type: "acme.step", timestamp: 0, json: `{"text":"${"→".repeat(size)}"}` };
    const broken = {
      ...draft,
      get json(): string {
        throw new Error("gone");
      },
    };
    expect(() => compose(last, [draft, broken])).toThrow("gone");
    const composed = compose(last, [draft, draft]);
    last = composed.row;
    for (const { bytes, lines } of composed.chunks) {
      kept.push({ bytes, copy: Buffer.from(bytes) });
      expect(Array.from(lines.ends())).toEqual([...lineEnds(bytes, lines.ends().length)]);
    }
  }
  for (const { bytes, copy } of kept) expect(bytes.equals(copy)).toBe(true);
  expect(Buffer.concat(kept.map(({ bytes }) => bytes)).length).toBe(last.bytes);
});

/** As JSON, but with half a pair left as it stands, which a careless caller may give. */
const encoded = (text: string): string =>
  [...text]
    .map((character) => (/[\ud800-\udfff]/.test(character) ? character : JSON.stringify(character).slice(1, -1)))
    .join("");
