import type { Io } from "../io.ts";
import { isCi } from "../output/style.ts";

/**
 * Says why no person at this terminal can be asked; undefined if one can. Questions are written to standard error and answers
 * are read from standard input, so both must be a terminal. In CI nobody is there, although some services provide a terminal.
 */
export function nobodyThere({ stdin, stderr }: Pick<Io, "stdin" | "stderr">, env = process.env): string | undefined {
  if (!isTerminal(stdin)) return "standard input is not a terminal";
  if (!isTerminal(stderr)) return "standard error, where questions are shown, is not a terminal";
  return isCi(env) ? "this is CI (the variable CI is set)" : undefined;
}

const isTerminal = (stream: object): boolean => (stream as { isTTY?: boolean }).isTTY === true;
