import { expect, it } from "vitest";
import { plural } from "./plural.ts";

it("uses the singular for one", () => {
  expect([0, 1, 2].map((count) => plural(count, "run"))).toEqual(["0 runs", "1 run", "2 runs"]);
});
