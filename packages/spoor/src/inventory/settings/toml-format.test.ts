import { stringify } from "@decimalturn/toml-patch";
import fc from "fast-check";
import { expect, it } from "vitest";
import { isObject, isSame, readField, withChange } from "./fields.ts";
import { toml } from "./toml-format.ts";

const name = fc.stringMatching(/^[a-z][a-z0-9_.-]{0,6}$/);
const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string(), { maxLength: 3 }));
const value = fc.oneof(scalar, fc.dictionary(name, scalar, { maxKeys: 3 }));
const settings = fc.dictionary(name, fc.oneof(scalar, fc.dictionary(name, value, { maxKeys: 3 })), { maxKeys: 5 });
const path = fc.array(name, { minLength: 1, maxLength: 3 });

it("contains the requested value afterwards and keeps its comments, whatever the file contained", () => {
  fc.assert(
    fc.property(settings, path, fc.option(value, { nil: undefined }), (before, fields, wanted) => {
      const text = `# first\n${stringify(before)}# last\n`;
      const parsed = toml.parse(text);
      fc.pre(fields.slice(1).every((_, index) => isFree(readField(parsed, fields.slice(0, index + 1)))));
      const changed = withChange(parsed, { path: fields, value: wanted });
      const after = isSame(parsed, changed) ? text : toml.edit(text, { path: fields, value: wanted }, changed);
      expect(isSame(toml.parse(after), changed)).toBe(true);
      expect(after).toContain("# first\n");
      expect(after).toContain("# last\n");
    }),
  );
});

const isFree = (found: unknown): boolean => found === undefined || isObject(found);
