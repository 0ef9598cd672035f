import { asNumber, asObject, asText, type Json } from "../../../kit/json-values.ts";

/** What a frame reports about a terminal that the agent runs itself: the new output and the exit code. */
export interface AgentTerminalOutput {
  text: string;
  exitCode?: number;
}

/**
 * Agents that run commands themselves report their output in `_meta`, beside the protocol: new output as
 * `terminal_output` or `terminal_output_delta`, and the end as `terminal_exit`. A command that was ended by a signal
 * has no exit code.
 */
export function agentTerminalIn({ _meta }: Json): AgentTerminalOutput | undefined {
  const meta = asObject(_meta);
  const output = asObject(meta?.terminal_output_delta) ?? asObject(meta?.terminal_output);
  const exit = asObject(meta?.terminal_exit);
  if (!output && !exit) return undefined;
  const exitCode = exit && (asNumber(exit.exit_code) ?? (asText(exit.signal) ? -1 : undefined));
  return { text: asText(output?.data) ?? "", ...(exitCode !== undefined && { exitCode }) };
}

/** Removes the agent's remark about how the command ended, and returns the exit code from it. */
export function splitExitRemark(text: string, words: RegExp | undefined): AgentTerminalOutput {
  const code = words?.exec(text)?.groups?.code;
  if (!words || code === undefined) return { text };
  return { text: text.replace(words, ""), exitCode: Number(code) };
}
