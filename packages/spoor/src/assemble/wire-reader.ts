import { type Failure, fail, failureOfExit, internalError } from "../agents/kit/failures.ts";
import { parseObject } from "../agents/kit/json-values.ts";
import type { Machine } from "../agents/machine.ts";
import type { Fact, Signal } from "../agents/signal.ts";
import { type Assembler, createAssembler } from "./assembler.ts";
import type { HeldQuestion } from "./interactions.ts";
import { LongLines } from "./long-lines.ts";
import { joinReadings, nothing, type Reading } from "./reading.ts";
import { ReportedFailure } from "./reported-failure.ts";
import { RetryGate } from "./retry-gate.ts";
import { StderrTail } from "./stderr-tail.ts";
import type { ProcessExit, WireEntry } from "./wire-line.ts";
import { assemblerOptions, type WireReaderOptions } from "./wire-reader-options.ts";

/**
 * Turns everything that passes between us and an agent's process, and everything we do to it, into events. Live runs,
 * recordings and tapes are all read by this class, so that the same input gives the same events.
 *
 * It is pure: it does no I/O, and it gets the clock, randomness, prices and the retry decision as options. A run that is
 * retried has several processes; `retry` separates their entries.
 */
export class WireReader {
  readonly #options: WireReaderOptions;
  readonly #assembler: Assembler;
  readonly #gate: RetryGate;
  readonly #reported = new ReportedFailure();
  /** Undefined from the exit of a process to the first entry of the next. */
  #machine: Machine | undefined;
  #stderr = new StderrTail();
  #longLines = new LongLines();
  /** Why we ended the run, if we did. */
  #cause: Failure | undefined;
  #isPromptDone = false;
  /** Questions that were read and are not passed on yet. */
  readonly #questions: HeldQuestion[] = [];
  /** Whether the events for the end of the current process, or of the wait for a retry, were emitted. */
  #isConcluded = false;

  constructor(options: WireReaderOptions) {
    this.#options = options;
    this.#gate = new RetryGate(options.isRetried);
    const hold = (question: HeldQuestion) => void this.#questions.push(question);
    this.#assembler = createAssembler({ ...assemblerOptions(options), ...(options.isGated && { hold }) });
    this.#machine = options.dialect.createMachine();
  }

  /** Whether the `session_end` of the main run was emitted. */
  get isEnded(): boolean {
    return this.#assembler.isEnded;
  }

  get retries(): number {
    return this.#gate.retries;
  }

  /** The agent's own id of its current session. */
  get sessionId(): string | undefined {
    return this.#gate.sessionId;
  }

  /** The failure to retry after the exit that was read last. When we ended the run, only our own cause can be retried. */
  get failureToRetry(): Failure | undefined {
    const { held } = this.#gate;
    return this.isEnded || (this.#cause && this.#cause !== held) ? undefined : held;
  }

  /** Returns the id that the agent gave to a question. */
  nativeId(interactionId: string): string | undefined {
    return this.#assembler.nativeId(interactionId);
  }

  /** Call this first. Warns if the run is to ask for permission but the agent acts without asking. */
  start(): Reading {
    const { approve, mayAsk, dialect } = this.#options;
    const shouldAsk = approve === "ask" || (approve === undefined && mayAsk === true);
    return shouldAsk && dialect.live?.askWarning !== undefined ? this.note(dialect.live.askWarning) : nothing;
  }

  /** `raw` is what debug events show; by default the agent's line. */
  read(entry: WireEntry, raw?: string): Reading {
    if (entry.from === "exit") return this.#exit(entry);
    const isLine = entry.from === "stdout" && entry.piece === undefined;
    return this.#accept(this.#signalsOf(entry), raw ?? (isLine ? entry.text : undefined));
  }

  /** The process was paused or resumed. */
  pause(paused: boolean): Reading {
    return this.#accept([{ kind: "pause", paused }]);
  }

  /** Emits a warning from Spoor about the run. */
  note(message: string): Reading {
    return this.#accept([{ kind: "note", level: "warn", message }]);
  }

  /** A further prompt was given to the agent. */
  prompted(): void {
    this.#isPromptDone = false;
  }

  /** We end the run. The first cause counts; it becomes an event when the agent reports a failure or exits. */
  endBecause(cause: Failure): void {
    this.#cause ??= cause;
  }

  /** The run ends with this failure and is not retried, whatever the agent says after it. */
  failFinally(failure: Failure): Reading {
    this.#gate.held = undefined;
    this.#isConcluded = true;
    this.#machine = undefined;
    return { events: this.#assembler.accept([fail(failure)]) };
  }

  /** The process has exited, and another one will repeat the prompt. */
  retry(fact: Fact<"retry">): Reading {
    this.#gate.nextAttempt();
    this.#assembler.nextAttempt();
    this.#reported.reset();
    this.#cause = undefined;
    this.#isConcluded = false;
    this.nextProcess();
    return this.#accept([{ kind: "fact", fact }]);
  }

  /** The entries that follow are of another process. */
  nextProcess(): void {
    this.#machine = undefined;
    this.#stderr = new StderrTail();
    this.#longLines = new LongLines();
  }

  /** Call this when the input has ended. A process whose exit was not read counts as exited with code 0. */
  finish(): Reading {
    const last = this.#isConcluded ? nothing : this.#conclude({ code: 0, signal: null });
    return { ...last, events: [...last.events, ...this.#assembler.finish()] };
  }

  #signalsOf(entry: Exclude<WireEntry, { from: "exit" }>): readonly Signal[] {
    this.#machine ??= this.#options.dialect.createMachine();
    const machine = this.#machine;
    if (entry.from === "host") {
      return "told" in entry.note ? entry.note.told : (machine.hosted?.(entry.note.hosted) ?? []);
    }
    const { from, text, piece } = entry;
    if (from === "stdin") {
      const frame = parseObject(text);
      return (frame && machine.sent?.(frame)) ?? [];
    }
    if (piece) return this.#longLines.add(from, text, piece);
    if (from === "stdout") return machine.line(text);
    this.#stderr.add(text);
    return machine.stderr?.(text) ?? [{ kind: "log", source: "stderr", line: text }];
  }

  #exit({ code, signal, error, fault }: ProcessExit): Reading {
    if (error !== undefined) return this.failFinally({ type: "crash", exitCode: -1, stderr: error });
    if (fault !== undefined) this.endBecause(internalError(String(fault)));
    const end = this.#conclude({ code, signal });
    const isSettled =
      this.#options.isRecording || this.#isPromptDone || this.#reported.isOpen || this.#assembler.isEnded;
    if (isSettled) return end;
    return joinReadings(end, this.#accept([fail(failureOfExit(code, signal, ""))]));
  }

  #conclude({ code, signal }: ProcessExit): Reading {
    this.#isConcluded = true;
    const cause = this.#reportCause();
    const last = this.#machine?.exit(code, signal) ?? [];
    this.#machine = undefined;
    return joinReadings(cause, this.#accept(this.#stderr.addToCrashes(last)));
  }

  /** If Spoor ended the run, its reason is the cause, whatever the agent reports. */
  #reportCause(): Reading {
    if (!this.#cause || this.#options.isRecording || this.#assembler.isEnded) return nothing;
    this.#gate.held = undefined;
    return this.#accept([fail(this.#cause)]);
  }

  #accept(given: readonly Signal[], raw?: string): Reading {
    if (given.length === 0) return nothing;
    const isInterruptionExpected = this.#cause !== undefined || this.#options.isInterruptionExpected === true;
    const signals = this.#reported.check(given, isInterruptionExpected);
    // When we ended the run, our cause comes before the failure that the agent reports.
    const cause = this.#cause && signals.some(isFailure) ? [fail(this.#cause)] : undefined;
    const passed = this.#gate.pass(signals);
    const events = this.#assembler.accept(cause ? [...cause, ...passed] : passed, raw);
    const questions = this.#questions.length > 0 ? { questions: this.#questions.splice(0) } : undefined;
    if (!signals.some(isPromptDone)) return { events, ...questions };
    if (this.#gate.held) return { events, prompt: "retried" };
    this.#isPromptDone = true;
    return { events, prompt: "done" };
  }
}

const isOfRun =
  (kind: Signal["kind"]) =>
  (signal: Signal): boolean =>
    signal.kind === kind && signal.child === undefined;

const isFailure = isOfRun("fail");
const isPromptDone = isOfRun("promptDone");
