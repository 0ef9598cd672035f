import { createEnvelopeWriter } from "@spoor/protocol/write";
import fc from "fast-check";
import { expect, it } from "vitest";
import { lineEnds, typeAt } from "../lines.ts";
import { CHAIN_START, link } from "./chain.ts";
import { CHUNK_EVENTS } from "./chunk.ts";
import { createComposer } from "./compose.ts";
import { newRow } from "./run-row.ts";

const ids = { run_id: "run_01K9ZC0000SP00R00000000000", task_id: "task_01K9ZC0000SP00R00000000000" };
const row = newRow({ ...ids, session_id: null, agent: "claude", kind: "agent", created_at: 0 });

const texts = fc.array(
  fc.string({ unit: fc.oneof(fc.constantFrom("é", "→", "\u{1f43e}", "\ud83d"), fc.string({ maxLength: 1 })) }),
);

it("writes one line for each draft, whatever characters it has, and links the lines", () => {
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

it("writes the bytes of the envelope writer, with rising ids and times, in any order of runs", () => {
  const names = fc.record({
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
    fc.property(fc.array(fc.tuple(names, fc.array(draft)), { maxLength: 6 }), (appends) => {
      const compose = createComposer(() => 1);
      const known = new Map<string, string>();
      for (const [{ run_id, last_sequence, ...rest }, drafts] of appends) {
        // All appends of a run have the same task.
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
        for (const { bytes, events, types, lines } of chunks) {
          expect(Array.from(lines.ends())).toEqual([...lineEnds(bytes, events)]);
          const starts = [0, ...Array.from(lines.ends())].slice(0, -1);
          expect(types).toEqual(new Set(starts.map((start) => typeAt(bytes, start))));
        }
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

/** Like JSON.stringify, but keeps lone surrogates, which a careless caller may pass. */
const encoded = (text: string): string =>
  [...text]
    .map((character) => (/[\ud800-\udfff]/.test(character) ? character : JSON.stringify(character).slice(1, -1)))
    .join("");
