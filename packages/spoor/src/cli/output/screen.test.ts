import { PassThrough } from "node:stream";
import { expect, it, vi } from "vitest";
import { Display } from "./display.ts";
import { createPrefixedScreen, createScreen } from "./screen.ts";

function collect() {
  const stdout = new PassThrough();
  return { display: new Display({ stdout, stderr: new PassThrough() }), text: () => String(stdout.read() ?? "") };
}

it("two runs that print at the same time never share a line", () => {
  const { display, text } = collect();
  const [one, two] = [createPrefixedScreen(display, { text: "1 │ " }), createPrefixedScreen(display, { text: "2 │ " })];
  one.say("Hel");
  two.say("Good ");
  one.say("lo\nwor");
  two.line(["●", "Bash ls"]);
  one.say("ld");
  two.say("bye");
  one.endLine();
  two.endLine();
  two.endLine();
  expect(text()).toBe("1 │ Hello\n2 │ Good \n2 │ ● Bash ls\n1 │ world\n2 │ bye\n");
});

it("text of a single run appears at once, and a line does not continue the text before it", () => {
  const { display, text } = collect();
  const screen = createScreen(display);
  screen.say("Hel");
  expect(text()).toBe("Hel");
  screen.say("lo");
  screen.line(["●", "Bash ls"]);
  screen.endLine();
  expect(text()).toBe("lo\n● Bash ls\n");
});

it("escapes all characters that a terminal acts on", () => {
  const { display, text } = collect();
  for (const screen of [createScreen(display), createPrefixedScreen(display, { text: "1 │ " })]) {
    screen.line(["a\u001b[2Jb"]);
    screen.say("c\u202ed\n");
  }
  expect(text()).toBe("a\\u001b[2Jb\nc\\u202ed\n1 │ a\\u001b[2Jb\n1 │ c\\u202ed\n");
});

/** A terminal of this many columns that keeps what it receives. */
function terminal(columns: number) {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns });
  return { display: new Display({ stdout, stderr: new PassThrough() }), text: () => String(stdout.read() ?? "") };
}

it("shows the thoughts of one of several runs dim, and never in the same line as its words", () => {
  for (const [name, value] of Object.entries({ NO_COLOR: "", CI: "", TERM: "xterm", LANG: "C.UTF-8", LC_ALL: "" }))
    vi.stubEnv(name, value);
  const { display, text } = terminal(80);
  const screen = createPrefixedScreen(display, { text: "1 " });
  screen.say("I think", "dim");
  screen.say(" so.\nAnd", "dim");
  screen.say("It is so.");
  screen.endLine();
  expect(text()).toBe("1 \u001b[2mI think so.\u001b[0m\n1 \u001b[2mAnd\u001b[0m\n1 It is so.\n");
});

it("has a short prefix in a narrow terminal", () => {
  const { display, text } = terminal(50);
  createPrefixedScreen(display, { text: "7KSMXP claude   ", short: "7KSMXP " }).line(["●", "Bash ls"]);
  expect(text()).toContain("7KSMXP ● Bash ls\n");
});
