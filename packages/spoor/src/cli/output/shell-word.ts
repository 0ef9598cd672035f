import { terminalSafe } from "./terminal-safe.ts";

/** A text as one word of a shell command that people copy. */
export const shellWord = (text: string): string =>
  terminalSafe(/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
