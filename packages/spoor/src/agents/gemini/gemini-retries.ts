import { rateLimited, retrySignal } from "../kit/fact-signals.ts";
import type { Signal } from "../signal.ts";

/** Reads retries, which Gemini reports only on standard error, in one line or two. */
export function createRetryReader(): (line: string) => Signal[] {
  let attempt = 0;
  let reason = "";
  return (line) => {
    const [, number, why] = /^Attempt (\d+) failed[^:]*:? ?(.*)$/.exec(line) ?? [];
    if (number) {
      attempt = Number(number);
      reason = why ?? "";
    }
    const delay = /Retrying after (\d+(?:\.\d+)?)ms/.exec(line)?.[1];
    if (!delay || attempt === 0) return [];
    const delayMs = Math.round(Number(delay));
    const isLimited = /exhausted|quota|429|rate/i.test(reason);
    return [...(isLimited ? [rateLimited(delayMs)] : []), retrySignal(reason, { attempt, delayMs })];
  };
}
