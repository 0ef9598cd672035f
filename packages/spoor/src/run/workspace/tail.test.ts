import fc from "fast-check";
import { expect, it } from "vitest";
import { Tail } from "./tail.ts";

it("keeps as many whole characters of the end as fit into the limit", () => {
  const piece = fc.string({ unit: fc.constantFrom("a", "\n", "é", "€", "😀"), maxLength: 30 });
  fc.assert(
    fc.property(fc.array(piece), fc.nat(100), (pieces, limit) => {
      const tail = new Tail(limit);
      for (const text of pieces) tail.add(text);
      const all = pieces.join("");
      const { text, isTruncated } = tail.read();
      expect(all.endsWith(text)).toBe(true);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limit);
      expect(isTruncated).toBe(text !== all);
      const next = [...all.slice(0, all.length - text.length)].at(-1) ?? "";
      expect(text === all || Buffer.byteLength(next + text) > limit).toBe(true);
    }),
  );
});

it("takes bounded memory for endless output", () => {
  const tail = new Tail(10);
  for (let line = 0; line < 100_000; line += 1) tail.add(`${line}\n`);
  expect(tail.read()).toEqual({ text: "9998\n99999\n".slice(-10), isTruncated: true });
});
