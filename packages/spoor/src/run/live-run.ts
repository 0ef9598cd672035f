import { failureOfExit } from "../agents/kit/failures.ts";
import type { Adapter, Answer, LaunchRequest } from "../agents/machine.ts";
import type { Signal } from "../agents/signal.ts";
import type { Assembler } from "../assemble/assembler.ts";
import { assemblerOf } from "../assemble/assembler-of.ts";
import { type Estimate, loadPrices } from "../assemble/prices.ts";
import { takes } from "../options/choose-dialect.ts";
import type { RetryPolicy } from "../options/retry-policy.ts";
import { Attempt, type AttemptEnd, type ProgramOptions } from "./attempt.ts";
import { type Clock, realClock } from "./clock.ts";
import { CurrentPrompt } from "./current-prompt.ts";
import type { EventHub } from "./event-hub.ts";
import type { RunObserver } from "./observer.ts";
import { OwnWord } from "./own-word.ts";
import { type Failure, retryFact } from "./retry.ts";
import { RetryGate } from "./retry-gate.ts";

export interface LiveRunOptions extends ProgramOptions {
  adapter: Adapter;
  request: LaunchRequest;
  hub: EventHub;
  /** The first process starts once this resolves. */
  before?: PromiseLike<unknown>;
  /** Never throws. */
  observer?: Pick<RunObserver, "onLine" | "room">;
  runId: string;
  stream: "auto" | true | false;
  debug: boolean;
  /** Absent: nothing is tried again. */
  retryPolicy?: RetryPolicy;
  clock?: Clock;
  /** The agent waits for the next prompt. */
  onIdle(): void;
  /** It failed and is tried again: after a while, and then. */
  onWait(): void;
  onRespawn(): void;
}

/**
 * One run of an agent: the signals of its process, or of several when it is tried again, become the events of one
 * stream.
 */
export class LiveRun {
  /** Resolves when the last event is told; the hub is then for its owner to end. */
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
  readonly #options: LiveRunOptions;
  readonly #assembler: Assembler;
  readonly #retries: RetryGate;
  readonly #prompt: CurrentPrompt;
  #attempt: Attempt;
  #gate: PromiseWithResolvers<void> | undefined;
  #prices: Estimate | undefined;
  /** Turns that the session had before this run. */
  #priorTurns: number | undefined;
  #failed: Failure | undefined;
  readonly #ownWord = new OwnWord();
  /** Ends the waiting for a retry. */
  #waiting = new AbortController();

  constructor(options: LiveRunOptions) {
    const { dialect, request } = options;
    this.#options = options;
    this.#prompt = new CurrentPrompt(request);
    this.#retries = new RetryGate(options.retryPolicy, () => this.#repeated() !== undefined);
    this.#assembler = assemblerOf(options, { estimate: () => this.#prices, priorTurns: () => this.#priorTurns });
    if (request.approve === "ask" && dialect.live.unasked !== undefined) this.warn(dialect.live.unasked);
    this.#attempt = this.#start(request, options.before);
    this.ended = this.#run();
  }

  /** The agent's name of the session it is in, where a retry opened another than the run began with. */
  get laterSessionId(): string | undefined {
    return this.#retries.retries > 0 ? this.#retries.sessionId : undefined;
  }

  /** The id by which the agent knows a question of ours. */
  nativeId(interactionId: string): string | undefined {
    return this.#assembler.nativeId(interactionId);
  }

  answer(nativeId: string, answer: Answer): void {
    this.#attempt.answer(nativeId, answer);
  }

  /** Whether the wire takes another prompt. */
  get canFollow(): boolean {
    return this.#attempt.canFollow;
  }

  follow(prompt: string): void {
    this.#prompt.add(prompt);
    this.#attempt.follow(prompt);
  }

  endInput(): void {
    this.#attempt.endInput();
  }

  interrupt(): void {
    this.#failed ??= { type: "interrupted" };
    this.#waiting.abort();
    this.#attempt.interrupt();
  }

  /** Ends the process tree, for this reason. */
  stop(reason: Failure): void {
    this.#failed ??= reason;
    this.#waiting.abort();
    this.#gate?.resolve();
    this.#options.hub.waits(false);
    this.#attempt.terminate();
  }

  setPaused(paused: boolean): void {
    this.#tell([{ kind: "pause", paused }]);
    this.#attempt.setPaused(paused);
    // What it had written before it stopped waits in the pipe.
    if (paused) this.#gate = Promise.withResolvers();
    else {
      this.#gate?.resolve();
      this.#gate = undefined;
    }
  }

  /** A word of ours about the run. */
  warn(message: string): void {
    this.#tell([{ kind: "note", level: "warn", message }]);
  }

  /** Never rejects: a fault of our own, or of an adapter, ends the process and the run. */
  async #run(): Promise<{ code: number | null; signal: string | null }> {
    try {
      return await this.#attempts();
    } catch (fault) {
      this.#attempt.terminate();
      const { code = null, signal = null } = (await this.#attempt.ended.catch(() => undefined)) ?? {};
      try {
        const message = fault instanceof Error ? fault.message : String(fault);
        this.#tellLast({ type: "error", code: "INTERNAL", message, recoverable: false });
        this.#options.hub.push(this.#assembler.finish());
      } catch {
        // Its result says that the end was not told.
      }
      return { code, signal };
    }
  }

  async #attempts(): Promise<{ code: number | null; signal: string | null }> {
    for (;;) {
      const end = await this.#attempt.ended;
      this.#conclude(end);
      const failure = this.#assembler.isEnded ? undefined : this.#retries.held;
      if (!failure || !(await this.#waitToRetry(failure))) {
        this.#options.hub.push(this.#assembler.finish());
        return { code: end.code, signal: end.signal };
      }
      this.#attempt = this.#start(this.#repeated() ?? this.#options.request);
      this.#options.onRespawn();
    }
  }

  /** Tells how a process ended. */
  #conclude(end: AttemptEnd): void {
    if (end.error) this.#tellLast({ type: "crash", exitCode: -1, stderr: end.error.message });
    else {
      if (end.fault !== undefined) {
        this.#failed ??= { type: "error", code: "INTERNAL", message: String(end.fault), recoverable: false };
      }
      // What we did to the agent is the cause of how it ended, whatever its last words were.
      if (this.#failed && !this.#assembler.isEnded) {
        this.#retries.held = undefined;
        this.#tell([{ kind: "fail", event: this.#failed }]);
      }
      this.#tell(this.#attempt.exit(end));
      const isSettled = this.#prompt.isDone || this.#ownWord.isFailing || this.#assembler.isEnded;
      if (!isSettled) this.#tell([{ kind: "fail", event: failureOfExit(end.code, end.signal, "") }]);
    }
  }

  /** Says that it is tried again, and waits; `false` when somebody ended the run meanwhile. */
  async #waitToRetry(failure: Failure): Promise<boolean> {
    const { retryPolicy, clock = realClock } = this.#options;
    if (!retryPolicy) return false;
    this.#retries.again();
    this.#ownWord.forget();
    this.#failed = undefined;
    this.#waiting = new AbortController();
    this.#options.hub.waits(true);
    // Time ran out in a pause: the next attempt is not in one.
    if (this.#gate) this.setPaused(false);
    const fact = retryFact(retryPolicy, this.#retries.retries, failure, clock.random);
    this.#tell([{ kind: "fact", fact }]);
    this.#options.onWait();
    await clock.sleep(fact.delayMs, this.#waiting.signal).catch(() => {});
    await this.#gate?.promise;
    const stopped = this.#failed as Failure | undefined;
    if (stopped) this.#tellLast(stopped);
    return stopped === undefined;
  }

  /** A failure that is not tried again, whatever the policy says. */
  #tellLast(event: Failure): void {
    this.#retries.held = undefined;
    this.#options.hub.push(this.#assembler.accept([{ kind: "fail", event }]));
  }

  #start(request: LaunchRequest, before?: PromiseLike<unknown>): Attempt {
    const { before: _, ...options } = this.#options;
    const { hub, dialect } = options;
    return new Attempt({
      ...options,
      ...(before && { before }),
      request,
      tell: (signals, raw) => this.#tell(signals, raw),
      // Here long before the model has answered.
      ready: async () => {
        const [prices, priorTurns] = await Promise.all([
          dialect.tokensOnly ? (this.#prices ?? loadPrices()) : undefined,
          this.#priorTurns ?? this.#countPriorTurns(),
        ]);
        this.#prices = prices;
        this.#priorTurns = priorTurns;
      },
      room: () => this.#gate?.promise ?? (hub.isFull ? hub.drained() : undefined),
    });
  }

  async #countPriorTurns(): Promise<number | undefined> {
    const { adapter, request, environment, set } = this.#options;
    if (request.resume === undefined || !adapter.sessions) return undefined;
    const { priorTurnsIn } = await import("../inventory/sessions/prior-turns.ts");
    return priorTurnsIn(adapter, request.resume, { env: { ...environment, ...set }, cwd: request.cwd });
  }

  #repeated(): LaunchRequest | undefined {
    const canResume = takes(this.#options.dialect, "resume");
    return this.#prompt.repeated(this.#retries.sessionId, canResume);
  }

  #tell(told: readonly Signal[], raw?: string): void {
    if (told.length === 0) return;
    const signals = this.#ownWord.read(told, this.#failed !== undefined);
    // What the agent says of an end that we brought about comes after the cause.
    const isFailure = signals.some(({ kind, child }) => kind === "fail" && child === undefined);
    const cause: Signal[] = this.#failed && isFailure ? [{ kind: "fail", event: this.#failed }] : [];
    const events = this.#assembler.accept([...cause, ...this.#retries.pass(signals)], raw);
    this.#options.hub.push(events);
    for (const event of events) {
      if (event.type === "approval_denied") this.#attempt.withdraw(this.nativeId(event.interactionId) ?? "");
    }
    if (!signals.some(({ kind, child }) => kind === "promptDone" && child === undefined)) return;
    if (this.#retries.held) this.#attempt.endInput();
    else {
      this.#prompt.finish();
      this.#options.onIdle();
    }
  }
}
