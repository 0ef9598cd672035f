import { expect, test } from "vitest";
import { matching } from "./matching.ts";

const commands = ["Go to Runs", "New run", "This run: changes"].map((name) => ({ name, run: () => {} }));
const names = (text: string) => matching(commands, text).map(({ name }) => name);

test("commands are found by words in any order, and those that begin with the text come first", () => {
  expect(names("run")).toEqual(["Go to Runs", "New run", "This run: changes"]);
  expect(names("new")).toEqual(["New run"]);
  expect(names("changes this")).toEqual(["This run: changes"]);
  expect(names("this")[0]).toBe("This run: changes");
  expect(names("nothing")).toEqual([]);
});
