import { problem } from "../../../facts.ts";
import { cutOff, fail, interrupted } from "../../../failure.ts";
import { asText, type Json } from "../../../json-machine.ts";
import type { Ledger } from "../../../ledger.ts";
import type { Signal } from "../../../signal.ts";
import { failureOf, isAuth } from "../results/failures.ts";
import type { Sessions } from "./session.ts";

/**
 * When a prompt begins and when it is done.
 *
 * new, idle, over → working: the agent starts. working → settling: it ended, and tells when it has settled (pi 0.87).
 * working → ending: it failed, and only the next frame tells whether it tries again (pi 0.73). ending → trying: it does,
 * which may come to nothing. These → idle: it settled, gave up, or ended for good (omp says so in the frame; pi 0.73
 * where nothing failed); → over, where it failed, which ends the run: the next prompt begins another.
 */
type Phase = "new" | "idle" | "over" | "working" | "settling" | "ending" | "trying";

/** `stays` is for a process that outlives its prompts. */
export function createLife(login: string, stays: boolean, sessions: Sessions, ledger: Ledger) {
  let phase: Phase = "new";
  let hasSpoken = false;
  let hasFailed = false;
  let abortSent = false;

  const isIdle = (): boolean => phase === "new" || phase === "idle" || phase === "over";
  const failure = (message: string): Signal => fail(failureOf(message, login));

  /** Before any frame: what the one before it left open. */
  function before(type: string): Signal[] {
    hasSpoken = true;
    if (phase !== "ending") return [];
    if (!again.has(type)) return done();
    phase = "trying";
    return [];
  }

  function prompted(): Signal[] {
    if (!isIdle()) return [];
    if (phase === "over") {
      ledger.reset();
      phase = "idle";
    }
    hasFailed = false;
    return [{ kind: "prompt" }];
  }

  /** Which session a prompt went to may be told until the agent takes it up. */
  function start(): Signal[] {
    const begun = isIdle() ? [...sessions.prompted(), ...prompted()] : [];
    abortSent &&= !isIdle();
    phase = "working";
    return begun;
  }

  function end(frame: Json): Signal[] {
    if (frame.willRetry === true || frame.isTerminal === false || isIdle()) return [];
    const settles = "willRetry" in frame;
    if (!settles && ("isTerminal" in frame || !hasFailed)) return done();
    phase = settles ? "settling" : "ending";
    return [];
  }

  /** The agent is done with the prompt. */
  function done(): Signal[] {
    if (isIdle()) return [];
    phase = hasFailed ? "over" : "idle";
    return [{ kind: "promptDone" }];
  }

  /** A retry or a compaction is over, and nothing follows from it. */
  const gaveUp = (): Signal[] => (phase === "trying" ? done() : []);

  function abort(): undefined {
    abortSent = true;
  }

  /** A model call begins. */
  function call(): void {
    hasFailed = false;
  }

  /** A model call ended, badly if it says so. After an abort within a tool it says `error`. */
  function callEnded({ stopReason, errorMessage }: Json): Signal[] {
    if (stopReason !== "error" && stopReason !== "aborted") return [];
    hasFailed = true;
    const message = asText(errorMessage) ?? "The model call failed.";
    const isAbort = stopReason === "aborted" || abortSent || /^(This operation|Request) was aborted/.test(message);
    return [isAbort ? fail(interrupted) : failure(message)];
  }

  /** The prompt was refused; while another one is worked on, that one goes on. */
  function refused(message: string): Signal[] {
    if (!isIdle()) return [problem(message, "VALIDATION_ERROR")];
    const begun = start();
    hasFailed = true;
    return [...begun, failure(message), ...done()];
  }

  function exit(code: number | null, signal: string | null, stderr: string): Signal[] {
    if (phase === "settling" || phase === "ending") return done();
    const wasStopped = signal !== null || code === 130 || code === 143;
    const isNormal = stays ? hasSpoken && (code === 0 || wasStopped) : phase !== "new";
    if (isIdle() && isNormal) return [];
    if (code === 130 || signal === "SIGINT") return [fail(interrupted)];
    return [!hasSpoken && isAuth(stderr) ? failure(stderr.trim()) : fail(cutOff(code, signal, stderr))];
  }

  return { before, prompted, start, end, done, gaveUp, abort, call, callEnded, refused, exit };
}

/** Frames after an end that failed, by which the agent goes on. */
const again = new Set(["auto_retry_start", "compaction_start", "auto_compaction_start"]);
