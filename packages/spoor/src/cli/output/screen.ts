import type { Writable } from "node:stream";
import { terminalSafeLines } from "./terminal-safe.ts";

/** Where a run is shown to a person: lines, and text that comes in pieces. Nothing of it reaches a terminal as a control. */
export interface Screen {
  /** A line of its own. */
  line(text: string): void;
  /** More of what the agent says, as it says it. */
  say(text: string): void;
  /** What was said so far is a line, whether or not it ended as one. */
  endLine(): void;
}

/** Shows text at once, as it comes. */
export function createScreen(output: Writable): Screen {
  let midLine = false;
  const write = (text: string) => {
    if (text === "") return;
    output.write(text);
    midLine = !text.endsWith("\n");
  };
  return {
    line: (text) => write(`${midLine ? "\n" : ""}${terminalSafeLines(text)}\n`),
    say: (text) => write(terminalSafeLines(text)),
    endLine: () => {
      if (midLine) write("\n");
    },
  };
}

/** Shows whole lines only, each behind a prefix: several runs share the output, and none breaks into another's line. */
export function createPrefixedScreen(output: Writable, prefix: string): Screen {
  let begun = "";
  const write = (text: string) => output.write(`${prefix}${text}\n`);
  const endLine = () => {
    if (begun !== "") write(terminalSafeLines(begun));
    begun = "";
  };
  return {
    line(text) {
      endLine();
      for (const each of terminalSafeLines(text).split("\n")) write(each);
    },
    say(text) {
      const lines = `${begun}${text}`.split("\n");
      begun = lines.pop() ?? "";
      for (const each of lines) write(terminalSafeLines(each));
    },
    endLine,
  };
}
