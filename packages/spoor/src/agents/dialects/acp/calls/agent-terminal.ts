import { asNumber, asObject, asText, type Json } from "../../../kit/json-values.ts";

/** What a frame tells of a terminal that the agent runs itself: output that is new, and the exit code. */
export interface OwnTerminal {
  text: string;
  exitCode?: number;
}

/**
 * Agents that run commands themselves tell their output beside the protocol, in `_meta`: new output as `terminal_output` or
 * `terminal_output_delta`, and the end as `terminal_exit`. A command that a signal ended has no exit code.
 */
export function ownTerminalIn({ _meta }: Json): OwnTerminal | undefined {
  const meta = asObject(_meta);
  const output = asObject(meta?.terminal_output_delta) ?? asObject(meta?.terminal_output);
  const exit = asObject(meta?.terminal_exit);
  if (!output && !exit) return undefined;
  const exitCode = exit && (asNumber(exit.exit_code) ?? (asText(exit.signal) ? -1 : undefined));
  return { text: asText(output?.data) ?? "", ...(exitCode !== undefined && { exitCode }) };
}

/** The output without the agent's words about how the command ended, and the exit code that they tell. */
export function withoutExitWords(text: string, words: RegExp | undefined): OwnTerminal {
  const code = words?.exec(text)?.groups?.code;
  if (!words || code === undefined) return { text };
  return { text: text.replace(words, ""), exitCode: Number(code) };
}
