import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { restOfInput } from "./rest-of-input.ts";

const inputs = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ maxDepth: 3, stringUnit: "binary" }));
const styles = [
  (input: unknown) => JSON.stringify(input),
  (input: unknown) => JSON.stringify(input, undefined, 2),
  (input: unknown) => JSON.stringify(input).replaceAll(/[^ -~]/g, code),
];
const code = (character: string) => `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

describe("the rest of an input", () => {
  it("makes the whole input of every beginning, however the agent writes JSON", () => {
    const cases = fc.tuple(inputs, fc.constantFrom(...styles), fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(cases, ([input, style, share]) => {
        const text = style(input);
        const written = text.slice(0, 1 + Math.floor(share * text.length));
        expect(JSON.parse(written + restOfInput(written, input))).toEqual(JSON.parse(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it("is an end that says what is lost, if nobody knows the rest", () => {
    const cases = fc.tuple(inputs, fc.constantFrom(...styles), fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(cases, ([input, style, share]) => {
        const text = style(input);
        const written = text.slice(0, 1 + Math.floor(share * (text.length - 1)));
        const read = JSON.parse(written + restOfInput(written, undefined));
        expect(read._incomplete === true || written === text).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['{"command": "ls -l', '","_incomplete":true}'],
    ["{", '"_incomplete":true}'],
    ['{"a":[1,', 'null],"_incomplete":true}'],
    ['{"a":[', '],"_incomplete":true}'],
    ['{"a":{"b":1,', '"_incomplete":true},"_incomplete":true}'],
    ['{"a', '":null,"_incomplete":true}'],
    ['{"a":tr', 'ue,"_incomplete":true}'],
    ['{"a":-', '0,"_incomplete":true}'],
    ['{"a":"\\u0', 'fff","_incomplete":true}'],
    ["[1", "]"],
  ])("closes %s", (written, closing) => {
    expect(restOfInput(written, undefined)).toBe(closing);
  });

  it.each(["*** Begin Patch\n", "{]", '{"a":yes,', "ls -l", '"a" "b'])(
    "does not follow %j, which is not JSON",
    (text) => {
      expect([restOfInput(text, undefined), restOfInput(text, { a: 1 })]).toEqual(["", ""]);
    },
  );

  it("is closed if the input is another one than was written", () => {
    expect(restOfInput('{"command": "rm', { command: "ls" })).toBe('","_incomplete":true}');
  });
});
