import { recoverableError } from "../../../kit/fact-signals.ts";
import { type Failure, fail, failureOfExit, interrupted, startFailure } from "../../../kit/failures.ts";
import { asText, type Json } from "../../../kit/json-values.ts";
import type { UsageTotals } from "../../../kit/usage-totals.ts";
import type { Signal } from "../../../signal.ts";
import { failureOf } from "../results/pi-failures.ts";
import type { Sessions } from "./pi-sessions.ts";

/**
 * When a prompt begins and when it is done.
 *
 * new, idle, over → working: the agent starts. working → settling: it ended, and tells when it has settled (pi 0.87).
 * working → trying: it failed, and does not tell whether it tries again (pi 0.73). These two → working: it starts again.
 * These three → idle: it settled, gave up, or ended for good (omp says so in the frame; pi 0.73 where nothing failed);
 * → over, where it failed, which ends the run: the next prompt begins another.
 */
type Phase = "new" | "idle" | "over" | "working" | "settling" | "trying";

/** `stays` is for a process that outlives its prompts. */
export function createPromptLifecycle(login: string, stays: boolean, sessions: Sessions, ledger: UsageTotals) {
  let phase: Phase = "new";
  let hasSpoken = false;
  /** How the last model call failed, where it did. */
  let failure: Failure | undefined;
  let abortSent = false;

  const isIdle = (): boolean => phase === "new" || phase === "idle" || phase === "over";

  /** Any frame came. */
  function heard(): void {
    hasSpoken = true;
  }

  /** A prompt was given. While the agent works it steers it; an agent that failed before it tries no more. */
  function prompted(): Signal[] {
    const ended = gaveUp();
    if (!isIdle()) return [];
    if (phase === "over") ledger.reset();
    return [...ended, { kind: "prompt" }];
  }

  /** Which session a prompt went to may be told until the agent takes it up. */
  function start(): Signal[] {
    const begun = isIdle() ? [...sessions.prompted(), ...prompted()] : [];
    abortSent &&= !isIdle();
    phase = "working";
    return begun;
  }

  function end({ willRetry, isTerminal }: Json): Signal[] {
    if (willRetry === true || isTerminal === false || isIdle()) return [];
    const mayRetry = failure !== undefined && failure !== interrupted;
    if (isTerminal === true || (willRetry === undefined && !mayRetry)) return done();
    phase = willRetry === false ? "settling" : "trying";
    return [];
  }

  /** The agent is done with the prompt. */
  function done(): Signal[] {
    if (isIdle()) return [];
    phase = failure ? "over" : "idle";
    failure = undefined;
    return [{ kind: "promptDone" }];
  }

  /** A retry or a compaction is over, and nothing follows from it. */
  const gaveUp = (): Signal[] => (phase === "trying" ? done() : []);

  function abort(): undefined {
    abortSent = true;
  }

  /** A model call begins. */
  function call(): void {
    failure = undefined;
  }

  /** A model call ended, badly if it says so. After an abort within a tool it says `error`. */
  function callEnded({ stopReason, errorMessage }: Json): Signal[] {
    if (stopReason !== "error" && stopReason !== "aborted") return [];
    const message = asText(errorMessage) ?? "The model call failed.";
    const isAbort = stopReason === "aborted" || abortSent || /^(This operation|Request) was aborted/.test(message);
    failure = isAbort ? interrupted : failureOf(message, login);
    return [fail(failure)];
  }

  /** The prompt was refused; while another one is worked on, that one goes on. */
  function refused(message: string): Signal[] {
    if (!isIdle()) return [recoverableError(message, "VALIDATION_ERROR")];
    return [...start(), ...callEnded({ stopReason: "error", errorMessage: message }), ...done()];
  }

  function exit(code: number | null, signal: string | null, stderr: string): Signal[] {
    if (phase === "settling" || phase === "trying") return done();
    const wasStopped = signal !== null || code === 130 || code === 143;
    const isNormal = stays ? hasSpoken && (code === 0 || wasStopped) : phase !== "new";
    if (isIdle() && isNormal) return [];
    if (code === 130) return [fail(interrupted)];
    return [fail(hasSpoken ? failureOfExit(code, signal, stderr) : startFailure(code, signal, stderr, login))];
  }

  return { heard, prompted, start, end, done, gaveUp, abort, call, callEnded, refused, exit };
}
