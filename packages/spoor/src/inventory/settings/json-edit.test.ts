import fc from "fast-check";
import { expect, it } from "vitest";
import { isSame, withChange } from "./fields.ts";
import { jsonc, json as strict } from "./json-format.ts";
import type { SettingsValues } from "./settings-format.ts";

const edit = (text: string, path: string[], value: unknown) => {
  const settings = jsonc.parse(text);
  return jsonc.edit(text, { path, value }, withChange(settings, { path, value }));
};

it.each([
  ["{}", ["a"], 1, '{\n  "a": 1\n}'],
  ["{ /* none yet */ }", ["a"], 1, '{\n  "a": 1 /* none yet */ }'],
  ['{"a": 1}', ["b"], 2, '{"a": 1, "b": 2}'],
  ['{\n\t"a": [1,2] // two\n}\n', ["b", "c"], true, '{\n\t"a": [1,2], // two\n\t"b": {\n\t\t"c": true\n\t}\n}\n'],
  ['{\r\n  "a": {}\r\n}', ["a", "b"], [1], '{\r\n  "a": {\r\n    "b": [\r\n      1\r\n    ]\r\n  }\r\n}'],
  ['{\n  "a": 1, // one\n  "b": 2\n}', ["a"], undefined, '{\n  "b": 2\n}'],
  ['{\n  "a": 1, // one\n  "b": 2 // two\n}', ["b"], undefined, '{\n  "a": 1 // one\n}'],
  ['{\n  "a": 1,\n  // of b\n  "b": 2\n}', ["a"], undefined, '{\n  // of b\n  "b": 2\n}'],
  ['{"a": 1, "b": 2}', ["b"], undefined, '{"a": 1 }'],
  ['{"a": {"b": 2}}', ["a", "b"], undefined, '{"a": {}}'],
])("edits %j", (text, path, value, expected) => {
  expect(edit(text, path, value)).toBe(expected);
});

const json = fc.jsonValue({ maxDepth: 3 });
const settings = fc.dictionary(fc.string(), json, { maxKeys: 6 });
const layout = fc.constantFrom(undefined, 2, 4, "\t");

it("contains the requested value afterwards, whatever the file contained", () => {
  fc.assert(
    fc.property(
      settings,
      layout,
      fc.array(fc.string(), { minLength: 1, maxLength: 3 }),
      fc.option(json, { nil: undefined }),
      (before, space, path, value) => {
        const text = JSON.stringify(before, undefined, space);
        const parsed = strict.parse(text);
        fc.pre(isFree(parsed, path));
        const wanted = withChange(parsed, { path, value });
        const after = isSame(parsed, wanted) ? text : strict.edit(text, { path, value }, wanted);
        expect(isSame(strict.parse(after), wanted)).toBe(true);
      },
    ),
  );
});

it("leaves every other line unchanged", () => {
  fc.assert(
    fc.property(settings, json, (before, value) => {
      fc.pre(!Object.hasOwn(before, "added"));
      const text = `${JSON.stringify(before, undefined, 2)}\n`;
      const after = edit(text, ["added"], value);
      expect(edit(after, ["added"], undefined).replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
      for (const line of text.split("\n").slice(1, -2)) expect(after).toContain(line);
    }),
  );
});

it("treats −0 as 0, because JSON writes it as 0", () => {
  expect(isSame(jsonc.parse(edit("{}", ["a"], -0)), { a: -0 })).toBe(true);
});

/** Whether every existing value along the path is an object. */
function isFree(settings: SettingsValues, path: readonly string[]): boolean {
  let value: unknown = settings;
  for (const key of path.slice(0, -1)) {
    if (value === undefined) return true;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    value = (value as SettingsValues)[key];
  }
  return value === undefined || (typeof value === "object" && value !== null && !Array.isArray(value));
}
