import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { createPrefixedScreen, createScreen } from "./screen.ts";

function collect() {
  const output = new PassThrough();
  return { output, text: () => String(output.read() ?? "") };
}

it("two runs that print at the same time never share a line", () => {
  const { output, text } = collect();
  const [one, two] = [createPrefixedScreen(output, "1 │ "), createPrefixedScreen(output, "2 │ ")];
  one.say("Hel");
  two.say("Good ");
  one.say("lo\nwor");
  two.line("● Bash ls");
  one.say("ld");
  two.say("bye");
  one.endLine();
  two.endLine();
  two.endLine();
  expect(text()).toBe("1 │ Hello\n2 │ Good \n2 │ ● Bash ls\n1 │ world\n2 │ bye\n");
});

it("text of a single run appears at once, and a line does not continue the text before it", () => {
  const { output, text } = collect();
  const screen = createScreen(output);
  screen.say("Hel");
  expect(text()).toBe("Hel");
  screen.say("lo");
  screen.line("● Bash ls");
  screen.endLine();
  expect(text()).toBe("lo\n● Bash ls\n");
});

it("escapes all characters that a terminal acts on", () => {
  const { output, text } = collect();
  for (const screen of [createScreen(output), createPrefixedScreen(output, "1 │ ")]) {
    screen.line("a\u001b[2Jb");
    screen.say("c\u202ed\n");
  }
  expect(text()).toBe("a\\u001b[2Jb\nc\\u202ed\n1 │ a\\u001b[2Jb\n1 │ c\\u202ed\n");
});
