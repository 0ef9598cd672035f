import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { Display } from "../output/display.ts";
import { Keyboard } from "./keyboard.ts";

it("many questions leave no more listeners on the input than one", () => {
  const stdin = new PassThrough();
  const keyboard = new Keyboard(stdin, new Display({ stdout: new PassThrough(), stderr: new PassThrough() }));
  for (let question = 0; question < 20; question += 1) keyboard.listen(() => {})();
  expect(["data", "error"].map((name) => stdin.listenerCount(name))).toEqual([0, 1]);
});
