import { expect, it } from "vitest";
import { diffOf } from "../../runtime/artifacts/diff-text.ts";
import { diffText } from "./diff-screen.ts";
import type { Style } from "./style.ts";

const style: Style = {
  ...{ codes: true, isAscii: false, columns: 80, rows: 24 },
  ...{ paint: (role, text) => (role === undefined ? text : `<${role}>${text}`), plain: (text) => text },
};
const shown = (path: string, before: string | Buffer | undefined, after: string | Buffer | undefined) =>
  diffText(
    diffOf({ path, before: before === undefined ? before : Buffer.from(before), after: after && Buffer.from(after) }),
    style,
    { headOf: (name) => [{ text: `[${name}]`, role: "strong" }] },
  );

it("stands below a head of its own instead of the lines that only Git needs", () => {
  expect(shown("a b.txt", "one\n", "two\n")).toBe(
    "<strong>[a b.txt]\n<dim>--- a/a b.txt\t\n<dim>+++ b/a b.txt\t\n<cyan>@@ -1 +1 @@\n<red>-one\n<green>+two\n",
  );
});

it.each(['quo"te', "tab\tname", "line\nbreak", "ü漢", "back\\slash", " b/x"])("names the file %j as it is", (name) => {
  const heads: string[] = [];
  const headOf = (path: string) => {
    heads.push(path);
    return [];
  };
  diffText(diffOf({ path: name, before: Buffer.from("a"), after: Buffer.from("b") }), style, { headOf });
  expect(heads).toEqual([name]);
});

it("colours removed and added lines that look like names of files", () => {
  expect(shown("x.sql", "-- old\n", "++ new\n")).toContain("<red>--- old\n<green>+++ new\n");
});

it("says how large a binary file is instead of showing its bytes", () => {
  const text = shown("x.bin", Buffer.from([0, 1, 2]), Buffer.alloc(2_000));
  expect(text).toBe("<strong>[x.bin]\n<dim>binary, 3 bytes before, 2,000 after\n");
});
