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
 * new, idle, over → working: the agent starts. working → settling: the agent ended, and will report when it has settled
 * (pi 0.87). working → trying: a model call failed, and the agent does not report whether it will retry (pi 0.73).
 * settling, trying → working: the agent starts again. working, settling, trying → idle: the agent settled, gave up, or
 * ended for good (omp marks this in the frame; pi 0.73 if nothing failed). working, settling, trying → over: the same
 * after a failure, which ends the run; the next prompt begins another run.
 */
type Phase = "new" | "idle" | "over" | "working" | "settling" | "trying";

/** `stays`: the process outlives its prompts. */
export function createPromptLifecycle(login: string, stays: boolean, sessions: Sessions, totals: UsageTotals) {
  let phase: Phase = "new";
  let hasOutput = false;
  /** How the last model call failed, if it did. */
  let failure: Failure | undefined;
  let abortSent = false;

  const isIdle = (): boolean => phase === "new" || phase === "idle" || phase === "over";

  /** A frame came. */
  function heard(): void {
    hasOutput = true;
  }

  /**
   * A prompt was sent. While the agent works, the prompt steers it. If a model call failed before, the agent does not
   * retry any more.
   */
  function prompted(): Signal[] {
    const ended = gaveUp();
    if (!isIdle()) return [];
    if (phase === "over") totals.reset();
    return [...ended, { kind: "prompt" }];
  }

  /** The session of a prompt may be reported until the agent starts to work on it. */
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

  /** A retry or a compaction is over and nothing follows. */
  const gaveUp = (): Signal[] => (phase === "trying" ? done() : []);

  function abort(): undefined {
    abortSent = true;
  }

  /** A model call begins. */
  function call(): void {
    failure = undefined;
  }

  /** A model call ended. After an abort during a tool, its stop reason is `error`. */
  function callEnded({ stopReason, errorMessage }: Json): Signal[] {
    if (stopReason !== "error" && stopReason !== "aborted") return [];
    const message = asText(errorMessage) ?? "The model call failed.";
    const isAbort = stopReason === "aborted" || abortSent || /^(This operation|Request) was aborted/.test(message);
    failure = isAbort ? interrupted : failureOf(message, login);
    return [fail(failure)];
  }

  /** The prompt was refused. If another prompt is being worked on, that one continues. */
  function refused(message: string): Signal[] {
    if (!isIdle()) return [recoverableError(message, "VALIDATION_ERROR")];
    return [...start(), ...callEnded({ stopReason: "error", errorMessage: message }), ...done()];
  }

  function exit(code: number | null, signal: string | null, stderr: string): Signal[] {
    if (phase === "settling" || phase === "trying") return done();
    const wasStopped = signal !== null || code === 130 || code === 143;
    const isNormal = stays ? hasOutput && (code === 0 || wasStopped) : phase !== "new";
    if (isIdle() && isNormal) return [];
    if (code === 130) return [fail(interrupted)];
    return [fail(hasOutput ? failureOfExit(code, signal, stderr) : startFailure(code, signal, stderr, login))];
  }

  return { heard, prompted, start, end, done, gaveUp, abort, call, callEnded, refused, exit };
}
