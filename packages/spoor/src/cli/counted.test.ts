import { expect, it } from "vitest";
import { counted } from "./counted.ts";

it("one is told as one", () => {
  expect([0, 1, 2].map((count) => counted(count, "run"))).toEqual(["0 runs", "1 run", "2 runs"]);
});
