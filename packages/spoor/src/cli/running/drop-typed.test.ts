import { createInterface } from "node:readline/promises";
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { dropTyped } from "./drop-typed.ts";

it("an answer that was typed before a question was shown does not count for it", async () => {
  const stdin = new PassThrough();
  stdin.write("y\n");
  await dropTyped(stdin);
  const terminal = createInterface({ input: stdin, output: new PassThrough() });
  const answer = terminal.question("Allow? [y/N] ");
  stdin.write("n\n");
  expect(await answer).toBe("n");
  terminal.close();
});
