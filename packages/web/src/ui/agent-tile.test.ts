import { expect, it } from "vitest";
import { tileOf } from "./agent-tile.tsx";

it.each([
  ["claude", "C"],
  ["aider", "A"],
  ["\u202egnp.exe", "G"],
  ["\u001b[31mred", "3"],
  ["<b>", "B"],
  ["\ud800", "?"],
  ["", "?"],
])("the tile of %j shows %s", (agent, letter) => {
  expect(tileOf(agent).letter).toBe(letter);
});
