import { type Failure, internalError } from "../agents/kit/failures.ts";
import type { Answer, LaunchRequest } from "../agents/machine.ts";
import type { HeldQuestion } from "../assemble/interactions.ts";
import type { Reading } from "../assemble/reading.ts";
import type { ProcessExit, WireEntry } from "../assemble/wire-line.ts";
import type { WireReader } from "../assemble/wire-reader.ts";
import { takes } from "../options/choose-dialect.ts";
import { AgentProcess, type AgentProcessEvent } from "./agent-process.ts";
import { realClock } from "./clock.ts";
import { CurrentPrompt } from "./current-prompt.ts";
import { LateFacts } from "./late-facts.ts";
import type { SafeObserver } from "./observer.ts";
import { PauseGate } from "./pause-gate.ts";
import type { OnPerformed, Performance, Performed } from "./performance.ts";
import { retryFact } from "./retry.ts";
import { createRunReader } from "./run-reader.ts";
import type { AttemptSetup } from "./run-setup.ts";

/** How long an agent that was asked to stop may take, in milliseconds, unless the run sets a grace period. */
const DEFAULT_GRACE_MS = 5_000;

/** Runs the processes of one run, one for each attempt, and reads them as one stream of events. */
export class Attempts implements Performance {
  readonly #setup: AttemptSetup;
  readonly #on: OnPerformed;
  readonly #judge: SafeObserver["judge"] | undefined;
  readonly #reader: WireReader;
  readonly #prompt: CurrentPrompt;
  readonly #lateFacts: LateFacts;
  readonly #gate = new PauseGate();
  #process: AgentProcess | undefined;
  #exited: Promise<ProcessExit> | undefined;
  #isPaused = false;
  /** Whether somebody ended the run. */
  #isStopped = false;
  /** Aborts the wait before a retry. */
  #waiting = new AbortController();

  /** `judge` decides about questions before anybody hears of them. */
  constructor(setup: AttemptSetup, on: OnPerformed, judge?: SafeObserver["judge"]) {
    this.#setup = setup;
    this.#on = on;
    this.#judge = judge;
    this.#prompt = new CurrentPrompt(setup.request);
    this.#lateFacts = new LateFacts(setup);
    const isRepeatable = () => this.#repeatedRequest() !== undefined;
    this.#reader = createRunReader(setup, this.#lateFacts, isRepeatable, judge !== undefined);
  }

  /**
   * Starts the first process once `before` resolves. Throws if it cannot be started. The returned promise resolves after the
   * last event and never rejects.
   */
  start(before: PromiseLike<unknown> | undefined): Promise<ProcessExit> {
    void this.#take(this.#reader.start());
    this.#startProcess(this.#setup.request, before);
    return this.#run();
  }

  /** The agent's id of its session, if a retry opened another session than the first attempt. */
  get laterSessionId(): string | undefined {
    return this.#reader.retries > 0 ? this.#reader.sessionId : undefined;
  }

  /** Returns the id that the agent gave to a question. */
  nativeId(interactionId: string): string | undefined {
    return this.#reader.nativeId(interactionId);
  }

  answer(nativeId: string, answer: Answer): void {
    this.#process?.answer(nativeId, answer);
  }

  /** Whether the dialect takes further prompts. */
  get canFollow(): boolean {
    return this.#process?.canFollow === true;
  }

  follow(prompt: string): void {
    this.#prompt.add(prompt);
    this.#reader.prompted();
    this.#process?.follow(prompt);
  }

  endInput(): void {
    this.#process?.endInput();
  }

  interrupt(): void {
    this.#end({ type: "interrupted" });
    this.#lateFacts.onInterrupt();
    this.#process?.interrupt();
  }

  /** Ends the process and its descendants. */
  stop(cause: Failure): void {
    this.#end(cause);
    this.#gate.open();
    this.#process?.terminate();
  }

  /** Asks the agent to stop, so that it can report what it did, and ends its process if it does not stop in time. */
  stopGently(cause: Failure): void {
    this.#end(cause);
    const stopped = this.#process;
    stopped?.interrupt();
    const timer = setTimeout(() => stopped?.terminate(), this.#setup.gracePeriodMs ?? DEFAULT_GRACE_MS);
    void this.#exited?.finally(() => clearTimeout(timer)).catch(() => {});
  }

  setPaused(paused: boolean): void {
    this.#isPaused = paused;
    void this.#take(this.#reader.pause(paused));
    this.#process?.setPaused(paused);
    // Lines that the agent wrote before it was paused wait as well.
    if (paused) this.#gate.close();
    else this.#gate.open();
  }

  warn(message: string): void {
    void this.#take(this.#reader.note(message));
  }

  #end(cause: Failure): void {
    this.#isStopped = true;
    this.#reader.endBecause(cause);
    this.#waiting.abort();
  }

  /** An error in Spoor or in an adapter ends the process and the run. */
  async #run(): Promise<ProcessExit> {
    try {
      return await this.#repeat();
    } catch (fault) {
      this.#process?.terminate();
      const exit = await this.#exited?.catch(() => undefined);
      try {
        void this.#take(
          this.#reader.failFinally(internalError(fault instanceof Error ? fault.message : String(fault))),
        );
        void this.#take(this.#reader.finish());
      } catch {
        // The run's result says that its events are incomplete.
      }
      return exit ?? { code: null, signal: null };
    }
  }

  async #repeat(): Promise<ProcessExit> {
    for (;;) {
      const exit = (await this.#exited) as ProcessExit;
      void this.#read({ from: "exit", ...exit });
      const failure = this.#reader.failureToRetry;
      if (!failure || !(await this.#waitToRetry(failure))) {
        void this.#take(this.#reader.finish());
        return exit;
      }
      this.#startProcess(this.#repeatedRequest() ?? this.#setup.request);
      this.#notify({ kind: "restarted" });
    }
  }

  /** Returns false when somebody ended the run meanwhile. */
  async #waitToRetry(failure: Failure): Promise<boolean> {
    const { retryPolicy, clock = realClock } = this.#setup;
    if (!retryPolicy) return false;
    this.#isStopped = false;
    this.#waiting = new AbortController();
    // The attempt may have timed out while it was paused.
    if (this.#isPaused) this.setPaused(false);
    const fact = retryFact(retryPolicy, this.#reader.retries + 1, failure, clock.random);
    void this.#take(this.#reader.retry(fact));
    this.#notify({ kind: "waiting" });
    await clock.sleep(fact.delayMs, this.#waiting.signal).catch(() => {});
    await this.#gate.opened;
    return !this.#isStopped;
  }

  #startProcess(request: LaunchRequest, before?: PromiseLike<unknown>): void {
    this.#process = new AgentProcess(
      { ...this.#setup, request, gate: this.#gate, ...(before && { before }) },
      (event) => this.#onProcess(event),
    );
    this.#exited = this.#process.run();
  }

  #onProcess(event: AgentProcessEvent): Promise<unknown> | undefined {
    return event.from === "opened" ? this.#lateFacts.load() : this.#read(event);
  }

  #read(entry: WireEntry): Promise<unknown> | undefined {
    this.#notify({ kind: "wire", entry });
    return this.#take(this.#reader.read(entry));
  }

  #take({ events, prompt, questions = [] }: Reading): Promise<unknown> | undefined {
    const late = this.#lateFacts.onEvents(events);
    const on = this.#on({ kind: "events", events });
    const wait = late && on ? Promise.all([late, on]) : (late ?? on);
    for (const question of questions) void this.#decide(question);
    for (const event of events) {
      if (event.type === "approval_denied") this.#process?.withdraw(this.nativeId(event.interactionId) ?? "");
    }
    if (prompt === "retried") this.#process?.endInput();
    if (prompt === "done") {
      this.#prompt.finish();
      this.#notify({ kind: "idle" });
    }
    return wait;
  }

  /** Lets the rules decide about a question. The agent is answered only if nobody has to be asked. */
  async #decide(question: HeldQuestion): Promise<void> {
    const { id, child } = question;
    const asking = this.#process;
    const { decision, reason } = (await this.#judge?.(question)) ?? { decision: "ask" as const };
    if (asking !== this.#process || this.#reader.isEnded) return;
    const told = {
      kind: "verdict" as const,
      id,
      decision,
      ...(reason !== undefined && { reason }),
      ...(child && { child }),
    };
    void this.#read({ from: "host", note: { told: [told] } });
    if (decision === "ask") return;
    await this.#on({ kind: "judged" });
    const answer = {
      granted: decision === "allow",
      ...(decision === "block" && reason !== undefined && { text: reason }),
    };
    asking?.answer(id, answer);
  }

  #notify(event: Performed): void {
    void this.#on(event);
  }

  /** The request with which another process repeats the current prompt; undefined if it cannot be repeated. */
  #repeatedRequest(): LaunchRequest | undefined {
    return this.#prompt.repeated(this.#reader.sessionId, takes(this.#setup.dialect, "resume"));
  }
}
