import type { Parts } from "./parts.ts";

/** What the command stands in. */
export interface CommandContext {
  parts: Parts;
  /** Source text for people. */
  text: string;
  /** Its input is a pipe, a file or a heredoc. */
  fed: boolean;
  depth: number;
  /** Reads a text that a command gives to a shell. */
  readText(text: string, depth: number, fed: boolean): void;
}
