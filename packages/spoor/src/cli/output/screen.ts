import type { Writable } from "node:stream";
import { terminalSafeLines } from "./terminal-safe.ts";

/** Shows a run to a person: whole lines, and text that arrives in pieces. Control characters are escaped. */
export interface Screen {
  /** Shows a line. */
  line(text: string): void;
  /** Shows the next piece of text. */
  say(text: string): void;
  /** Ends the current line, if one has begun. */
  endLine(): void;
}

/** Shows every piece of text at once. */
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

/** Shows whole lines only, each with a prefix, so that several runs can share the output without mixing their lines. */
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
