import type { AgentEvent } from "@spoor/protocol";
import { prefixed } from "@spoor/protocol/ids";
import type { Failure } from "../agents/kit/failures.ts";
import { lineOf, type ProcessExit } from "../assemble/wire-line.ts";
import { SpoorError } from "../failures/errors.ts";
import { Answers, refusal } from "./answers.ts";
import { Attempts } from "./attempts.ts";
import { answerWith, refuseAll } from "./callbacks.ts";
import { continuation } from "./continuation.ts";
import { EventHub } from "./event-hub.ts";
import { FurtherPrompts } from "./further-prompts.ts";
import { type AnswerOutcome, InteractionChannel } from "./interaction-channel.ts";
import { Listenable } from "./listenable.ts";
import { joinObservers, type RunControl, type SafeObserver, safeObserver } from "./observer.ts";
import type { Performance, Performed } from "./performance.ts";
import type { FurtherPrompt, PromptMoment } from "./prompt-queue.ts";
import { controlOf } from "./run-control.ts";
import { RunLimits } from "./run-limits.ts";
import { ResultBuilder, type RunResult } from "./run-result.ts";
import { type RunSetup, startOf } from "./run-setup.ts";
import { endState, isEnd, type RunState, transition } from "./run-state.ts";
import { ThrowReporter } from "./throw-reporter.ts";

/**
 * A run of an agent: iterate its events, listen to them, or await its result, in any combination. The result never
 * rejects: its `error` says what went wrong, as an event before it did. The first iterator gets all events, and later ones
 * get those that come after them.
 *
 * @example
 * const run = createClient().run({ agent: "claude", prompt: "Add a test.", approve: "ask" });
 * run.on("approval_request", ({ interactionId }) => run.deny(interactionId, "Not today."));
 * for await (const event of run) if (event.type === "text_delta") process.stdout.write(event.delta);
 * const { exitReason, error } = await run;
 * console.log(exitReason, error?.message);
 */
export class Run extends Listenable implements PromiseLike<RunResult> {
  readonly runId: string;
  readonly agent: string;
  /** The model that was asked for. */
  readonly model: string | undefined;
  readonly interaction: InteractionChannel;
  protected readonly hub: EventHub;
  #state: RunState = "spawned";
  readonly #setup: RunSetup;
  readonly #attempts: Performance;
  readonly #limits: RunLimits;
  readonly #result: Promise<RunResult>;
  readonly #resultBuilder: ResultBuilder;
  readonly #observer: SafeObserver | undefined;
  readonly #throws: ThrowReporter;
  readonly #prompts: FurtherPrompts;
  readonly #answers: Answers;
  #sessionId: string | undefined;
  /** The agent's input is closed, or somebody ended the run: a further prompt would be lost. */
  #isEnding = false;

  constructor(setup: RunSetup) {
    super();
    const { runId, request, adapter } = setup;
    this.#setup = setup;
    this.runId = runId;
    this.agent = adapter.name;
    this.model = request.model;
    const performed = setup.performer?.perform(setup, this, (event) => this.#on(event));
    const own = typeof setup.observer === "function" ? setup.observer(this) : setup.observer;
    const observer = joinObservers([performed?.observer ?? setup.observe?.(this) ?? [], own ?? []].flat());
    this.#throws = new ThrowReporter(observer, (message) => this.#warn(message));
    this.#observer = observer && safeObserver(observer, this.#throws.report);
    this.#resultBuilder = new ResultBuilder({ ...setup, ...request, agent: this.agent });
    this.#answers = new Answers({
      observer: this.#observer,
      onThrow: this.#throws.report,
      isPaused: () => this.#state === "paused",
      nativeId: (id) => this.#attempts.nativeId(id),
      give: (native, answer) => this.#attempts.answer(native, answer),
      onRefused: (...why) => void (setup.onReject === "fail" && this.#stop(refusal(...why), "gently")),
    });
    this.#prompts = new FurtherPrompts(this.#observer, (prompt) => this.#attempts.follow(prompt));
    this.interaction = new InteractionChannel((...given) => this.#answers.respond(...given), this.#throws.report);
    if (request.approve === "deny") refuseAll(this.interaction);
    this.hub = new EventHub((event) => this.#onEvent(event), this.#throws.report);
    const judge = request.approve === "ask" ? this.#observer?.judge : undefined;
    this.#attempts = performed?.performance ?? new Attempts(setup, (event) => this.#on(event), judge);
    const before = observer?.onStart?.(startOf(setup, judge !== undefined));
    const isWaiting = () => this.#state === "paused" || this.interaction.pending.length > 0;
    this.#limits = new RunLimits(performed ? {} : { ...setup, ...request }, {
      isWaiting,
      onExceeded: (failure, how) => this.#stop(failure, how),
      onBudget: (notice) => this.#observer?.onBudget(notice),
    });
    // The observer may have found out that earlier runs of the task have spent the budget.
    const ready = before && setup.budget ? before.then(() => this.#limits.countCost(runId)) : before;
    this.#result = this.#start(ready ?? undefined).then(async (exit) => {
      const result = this.#end(exit);
      await this.#observer?.onEnd();
      return result;
    });
  }

  /** Throws what the adapter throws when it is asked how to start the agent. */
  #start(before: PromiseLike<unknown> | undefined): Promise<ProcessExit> {
    try {
      return this.#attempts.start(before);
    } catch (error) {
      this.#limits.stop();
      // The observer may have stored that the run starts.
      void Promise.allSettled([before]).then(() => this.#observer?.onEnd());
      throw error;
    }
  }

  /** The id of this run in a log. */
  get recordId(): string {
    return prefixed("run", this.runId);
  }

  get state(): RunState {
    return this.#state;
  }

  get isEnded(): boolean {
    return isEnd(this.#state);
  }

  /** What an executor can do to the run for somebody in another process. */
  get control(): RunControl {
    return controlOf(this, this.#answers, (message) => this.#warn(message));
  }

  result(): Promise<RunResult> {
    this.hub.detachSlow();
    return this.#result;
  }

  // biome-ignore lint/suspicious/noThenProperty: the specification lets a program await a run to get its result.
  then<A = RunResult, B = never>(
    onResult?: ((result: RunResult) => A | PromiseLike<A>) | null,
    onError?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.result().then(onResult, onError);
  }

  /** Gives the agent another prompt at once, while it works on the one before. */
  send(prompt: string): void {
    this.#give({ prompt, via: "send" }, "now");
  }

  /** Gives the agent another prompt while it works: by default after its current message. */
  steer(prompt: string, { when = "after-response" }: { when?: PromptMoment } = {}): void {
    this.#give({ prompt, via: "steer" }, when);
  }

  /** Gives the agent another prompt: by default when it is done with the ones before. */
  queue(prompt: string, { when = "next-turn" }: { when?: PromptMoment } = {}): void {
    this.#give({ prompt, via: "queue" }, when);
  }

  /**
   * Approves a question. Without an id, it approves the only open approval request. The promise never rejects: it says
   * whether this answer counts, or who was first.
   */
  approve(interactionId = this.interaction.only("approval").id): Promise<AnswerOutcome> {
    return this.interaction.respond(interactionId, { approve: true });
  }

  /** Denies a question. Without an id, it denies the only open question. */
  deny(interactionId = this.interaction.only().id, reason?: string): Promise<AnswerOutcome> {
    return this.interaction.respond(interactionId, { deny: true, ...(reason !== undefined && { reason }) });
  }

  /** Continues the session of this run, which must have ended, in a new run. */
  continue(prompt: string): Run {
    if (!this.isEnded) {
      throw new SpoorError(
        "INVALID_STATE_TRANSITION",
        "The run has not ended: use `send` or `queue` for further prompts.",
      );
    }
    return new Run(continuation(this.#setup, this.#sessionId, prompt));
  }

  /** Asks the agent to stop what it does. A paused run is resumed first, because a paused agent cannot answer. */
  interrupt(): void {
    if (this.#state === "paused") this.unpause();
    if (this.#state !== "interrupted") this.#state = transition(this.#state, "interrupted");
    this.#isEnding = true;
    this.#prompts.clear();
    this.#attempts.interrupt();
  }

  /** Ends the process and its descendants. Does nothing once the run has ended. */
  abort(): void {
    if (!this.isEnded) this.#stop({ type: "aborted" });
  }

  pause(): void {
    if (this.#state === "paused") throw new SpoorError("INVALID_STATE_TRANSITION", "The run is paused already.");
    this.#state = transition(this.#state, "paused");
    this.#attempts.setPaused(true);
  }

  unpause(): void {
    if (this.#state !== "paused") throw new SpoorError("INVALID_STATE_TRANSITION", "The run is not paused.");
    this.#state = transition(this.#state, "running");
    this.#attempts.setPaused(false);
    this.#answers.resume();
  }

  /** The same as `unpause`. */
  resume = (): void => this.unpause();

  #on(event: Performed): Promise<unknown> | undefined {
    switch (event.kind) {
      case "wire":
        if (this.#observer) this.#observer.onLine(lineOf(event.entry));
        return undefined;
      case "events":
        this.hub.push(event.events);
        return this.hub.isFull ? this.hub.drained() : this.#observer?.drained();
      case "judged":
        return this.#observer?.written?.();
      case "idle":
        if (this.#prompts.giveNext()) return undefined;
        this.#isEnding = true;
        this.#attempts.endInput();
        return undefined;
      case "waiting":
        this.#isEnding = false;
        this.#answers.clear();
        this.hub.setBackpressure(true);
        this.interaction.clear();
        this.#limits.stop();
        return undefined;
      case "restarted":
        this.#state = transition(this.#state, "spawned");
        this.#limits.restart();
        return undefined;
    }
  }

  /** Gets every event before listeners and iterators do. */
  #onEvent(event: AgentEvent): void {
    this.#resultBuilder.add(event);
    this.#observer?.onEvent(event);
    this.interaction.update(event);
    this.#limits.noteActivity(event);
    if (event.type === "cost") this.#limits.countCost(event.runId, event);
    const isQuestion = event.type === "approval_request" || event.type === "input_required";
    if (isQuestion && this.#setup.request.approve !== "deny") {
      // The callbacks answer later, never inside the event itself.
      void answerWith(this.#setup, event, this.interaction, this.#throws.report);
    }
    if (event.runId !== this.runId) return;
    if (this.#state === "spawned" && event.type !== "debug") this.#state = transition(this.#state, "running");
    if (event.type === "session_start") this.#sessionId = event.sessionId;
    if (event.type === "turn_start") this.#limits.countTurn();
    this.#prompts.onEvent(event);
  }

  #end(exit: { code: number | null; signal: string | null }): RunResult {
    this.#limits.stop();
    if (!this.#setup.request.noSession) this.#sessionId = this.#attempts.laterSessionId ?? this.#sessionId;
    const result = this.#resultBuilder.build(exit, this.#sessionId);
    this.#state = transition(this.#state, endState[result.exitReason]);
    this.hub.end();
    return result;
  }

  #stop(cause: Failure, how?: "gently"): void {
    this.#isEnding = true;
    this.hub.setBackpressure(false);
    if (how === "gently") this.#attempts.stopGently(cause);
    else this.#attempts.stop(cause);
  }

  #give(further: FurtherPrompt, when: PromptMoment): void {
    if (this.isEnded) throw new SpoorError("RUN_NOT_ACTIVE", "The run has ended: use `continue` for further prompts.");
    if (this.#isEnding) {
      const message = "The run is ending and takes no further prompts: use `continue` once it has ended.";
      throw new SpoorError("RUN_NOT_ACTIVE", message);
    }
    if (further.prompt.trim() === "") throw new SpoorError("VALIDATION_ERROR", "The prompt is empty.");
    if (!this.#attempts.canFollow) {
      throw new SpoorError("STDIN_NOT_AVAILABLE", `This dialect of ${this.agent} takes no further prompts.`);
    }
    this.#prompts.add(further, this.#attempts.followsAtOnce ? "now" : when);
  }

  #warn(message: string): void {
    if (this.isEnded) process.emitWarning(message);
    else this.#attempts.warn(message);
  }
}
