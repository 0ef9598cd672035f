import { problem } from "../../../facts.ts";
import { cutOff, fail, interrupted } from "../../../failure.ts";
import { asText, type Json } from "../../../json-machine.ts";
import type { Signal } from "../../../signal.ts";
import { createStderrTail } from "../../../stderr-tail.ts";
import type { PiProfile } from "../profile.ts";
import { failureOf, isAuth } from "../results/failures.ts";

/**
 * When a prompt begins and when it is done.
 *
 * idle → working: the agent starts. working → ending: it ended, and will settle (pi 0.87), or it failed, and only the
 * next frame tells whether it tries again (pi 0.73). ending → trying: it does, which may come to nothing. Any → idle: it
 * settled, gave up, or ended for good (omp says so in the frame; pi 0.73 where nothing failed).
 */
type Phase = "idle" | "working" | "ending" | "trying";

export interface LifeOptions {
  profile: PiProfile;
  /** Whether the process outlives its prompts. */
  stays: boolean;
  /** A run has ended and another begins. */
  onNextRun(): void;
}

export class Life {
  readonly #options: LifeOptions;
  #phase: Phase = "idle";
  #settles = false;
  #seen = false;
  #prompts = 0;
  #abortSent = false;
  #failed = false;
  #runEnded = false;
  readonly #stderr = createStderrTail();

  constructor(options: LifeOptions) {
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#phase === "idle";
  }

  /** Before any frame: what the one before it left open. */
  before(type: string): Signal[] {
    this.#seen = true;
    if (this.#phase !== "ending" || this.#settles) return [];
    if (!again.has(type)) return this.done();
    this.#phase = "trying";
    return [];
  }

  prompted(): Signal[] {
    if (!this.isIdle) return [];
    if (this.#runEnded) this.#options.onNextRun();
    this.#runEnded = false;
    this.#failed = false;
    return [{ kind: "prompt" }];
  }

  start(): Signal[] {
    const signals = this.prompted();
    if (this.isIdle) this.#abortSent = false;
    this.#phase = "working";
    return signals;
  }

  end(frame: Json): Signal[] {
    if (frame.willRetry === true || frame.isTerminal === false) return [];
    this.#settles = "willRetry" in frame;
    if (!this.#settles && ("isTerminal" in frame || !this.#failed)) return this.done();
    if (!this.isIdle) this.#phase = "ending";
    return [];
  }

  /** The agent is done with the prompt. */
  done(): Signal[] {
    if (this.isIdle) return [];
    this.#phase = "idle";
    this.#prompts += 1;
    this.#runEnded = this.#failed;
    return [{ kind: "promptDone" }];
  }

  /** A retry or a compaction is over, and nothing follows from it. */
  gaveUp(): Signal[] {
    return this.#phase === "trying" ? this.done() : [];
  }

  abort(): Signal[] {
    this.#abortSent = !this.isIdle;
    return [];
  }

  /** A model call begins. */
  call(): void {
    this.#failed = false;
  }

  /** A model call ended, badly if it says so. After an abort within a tool it says `error`. */
  callEnded({ stopReason, errorMessage }: Json): Signal[] {
    if (stopReason !== "error" && stopReason !== "aborted") return [];
    const message = asText(errorMessage) ?? "The model call failed.";
    const isAbort =
      stopReason === "aborted" || this.#abortSent || /^(This operation|Request) was aborted/.test(message);
    this.#failed = true;
    return [isAbort ? fail(interrupted) : this.#failure(message)];
  }

  /** The prompt was refused; while another one is worked on, that one goes on. */
  refused(message: string): Signal[] {
    if (!this.isIdle) return [problem(message, "VALIDATION_ERROR")];
    const signals = this.prompted();
    this.#failed = true;
    this.#phase = "working";
    return [...signals, this.#failure(message), ...this.done()];
  }

  stderr(line: string): undefined {
    this.#stderr.add(line);
  }

  exit(code: number | null, signal: string | null): Signal[] {
    if (this.#phase === "ending") return this.done();
    const wasStopped = signal !== null || code === 130 || code === 143;
    const isNormal = this.#options.stays ? this.#seen && (code === 0 || wasStopped) : this.#prompts > 0;
    if (this.isIdle && isNormal) return [];
    const stderr = this.#stderr.text();
    const isInterrupted = signal === "SIGINT" || code === 130;
    if (!isInterrupted && !this.#seen && isAuth(stderr)) return [this.#failure(stderr.trim())];
    return [fail(isInterrupted ? interrupted : cutOff(code, signal, stderr))];
  }

  #failure(message: string): Signal {
    return fail(failureOf(message, this.#options.profile.loginGuidance));
  }
}

/** Frames after an end that failed, by which the agent goes on. */
const again = new Set(["auto_retry_start", "compaction_start", "auto_compaction_start"]);
