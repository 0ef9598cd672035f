import type { StreamEvent } from "./stream-event.ts";

/**
 * Counts the tokens of a run. Agents report them for each model call, or as sums of the run so far, or both: what was counted
 * in one way is not counted again in the other.
 */
export interface UsageCount {
  ofCall(input: number, output: number): StreamEvent[];
  soFar(input: number, output: number): StreamEvent[];
}

export function createUsage(): UsageCount {
  const calls = { input: 0, output: 0 };
  const sums = { input: 0, output: 0 };
  const sent = { input: 0, output: 0 };

  /** The usage since the last event. A sum that was corrected downwards is no usage. */
  function next(): StreamEvent[] {
    const inputTokens = Math.max(calls.input, sums.input, sent.input) - sent.input;
    const outputTokens = Math.max(calls.output, sums.output, sent.output) - sent.output;
    if (inputTokens === 0 && outputTokens === 0) return [];
    sent.input += inputTokens;
    sent.output += outputTokens;
    return [{ type: "usage", inputTokens, outputTokens }];
  }

  return {
    ofCall(input, output) {
      calls.input += input;
      calls.output += output;
      return next();
    },
    soFar(input, output) {
      Object.assign(sums, { input, output });
      return next();
    },
  };
}
