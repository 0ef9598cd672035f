import fc from "fast-check";
import { expect, it } from "vitest";
import { utf8Length } from "./utf8.ts";

it("counts the bytes UTF-8 needs, lone surrogates included", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units)),
      ),
      (text) => {
        expect(utf8Length(text)).toBe(Buffer.byteLength(text));
      },
    ),
  );
});
