import type { AgentEvent } from "@spoor/protocol";
import { SpoorError } from "../failures/errors.ts";
import type { Callbacks } from "../options/callbacks.ts";
import { answerWith, refuseAll } from "./callbacks.ts";
import { continuation } from "./continuation.ts";
import { EventHub } from "./event-hub.ts";
import type { OnThrow } from "./guarded.ts";
import { InteractionChannel } from "./interaction-channel.ts";
import { Listenable } from "./listenable.ts";
import { LiveRun, type LiveRunOptions } from "./live-run.ts";
import { guardedObserver, type RunObserver } from "./observer.ts";
import { type FurtherPrompt, type PromptMoment, PromptQueue } from "./prompt-queue.ts";
import { type Limits, RunLimits } from "./run-limits.ts";
import { ResultBuilder, type RunResult } from "./run-result.ts";
import { endState, isEnd, moved, type RunState } from "./run-state.ts";

export interface RunHandleOptions
  extends Omit<LiveRunOptions, "hub" | "observer" | "before" | "onIdle" | "onWait" | "onRespawn">,
    Callbacks,
    Omit<Limits, "maxTurns"> {
  /** Sees what events do not tell. */
  observer?: RunObserver;
  tags?: readonly string[];
  collectEvents?: boolean;
}

/**
 * A run under way: iterate its events, listen to them, or await its result, all at once if you like. The result never
 * rejects: what went wrong is in it, and was an event before.
 */
export class RunHandle extends Listenable implements PromiseLike<RunResult> {
  readonly runId: string;
  readonly agent: string;
  /** The model that was asked for. */
  readonly model: string | undefined;
  readonly interaction: InteractionChannel;
  #state: RunState = "spawned";
  protected readonly hub: EventHub;
  readonly #live: LiveRun;
  readonly #limits: RunLimits;
  readonly #result: Promise<RunResult>;
  readonly #options: RunHandleOptions;
  readonly #observer: ReturnType<typeof guardedObserver> | undefined;
  readonly #queue = new PromptQueue();
  /** Whose failures were told. */
  readonly #failed = new WeakSet<object>();
  /** Failures to tell once the run can tell anything. */
  readonly #early: string[] = [];
  #sessionId: string | undefined;

  constructor(options: RunHandleOptions) {
    super();
    const { runId, request } = options;
    this.#options = options;
    this.runId = runId;
    this.agent = options.adapter.name;
    this.model = request.model;
    const heardThrow: OnThrow = (error, culprit) => this.#heardThrow(error, culprit);
    this.#observer = options.observer && guardedObserver(options.observer, heardThrow);
    const builder = new ResultBuilder({ ...options, ...request, agent: this.agent });
    this.interaction = new InteractionChannel((id, answer) => {
      const native = this.#live.nativeId(id);
      if (native === undefined) return;
      const { text } = answer;
      // The reason of a refusal is told with the refusal.
      if (answer.granted && text !== undefined) this.#observer?.onSaid({ via: "answer", text, interactionId: id });
      this.#live.answer(native, answer);
    }, heardThrow);
    if (request.approve === "deny") refuseAll(this.interaction);
    this.hub = new EventHub((event) => {
      builder.add(event);
      this.#observer?.onEvent(event);
      this.interaction.see(event);
      this.#see(event);
    }, heardThrow);
    const isWaiting = () => this.#state === "paused" || this.interaction.pending.length > 0;
    const { dialect, stream } = options;
    const environment = { ...options.environment, ...options.set };
    const start = { runId, agent: this.agent, dialect: dialect.name, request, stream, environment };
    const before = options.observer?.onStart?.(start);
    this.#limits = new RunLimits({ ...options, ...request }, isWaiting, (failure) => this.#live.stop(failure));
    const { observer: _, ...live } = options;
    this.#live = new LiveRun({
      ...live,
      ...(this.#observer && { observer: this.#observer }),
      ...(before && { before }),
      hub: this.hub,
      onIdle: () => this.#next(),
      onWait: () => {
        this.interaction.clear();
        this.#limits.stop();
      },
      onRespawn: () => {
        this.#state = moved(this.#state, "spawned");
        this.#limits.restart();
      },
    });
    for (const message of this.#early.splice(0)) this.#live.warn(message);
    this.#result = this.#live.ended.then((exit) => {
      this.#limits.stop();
      if (!request.noSession) this.#sessionId = this.#live.laterSessionId ?? this.#sessionId;
      const result = builder.build(exit, this.#sessionId);
      this.#state = moved(this.#state, endState[result.exitReason]);
      this.hub.end();
      return result;
    });
  }

  get state(): RunState {
    return this.#state;
  }

  get isEnded(): boolean {
    return isEnd(this.#state);
  }

  result(): Promise<RunResult> {
    this.hub.detachSlow();
    return this.#result;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a run means awaiting its result, as its specification has it.
  then<A = RunResult, B = never>(
    onResult?: ((result: RunResult) => A | PromiseLike<A>) | null,
    onError?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.result().then(onResult, onError);
  }

  /** Another prompt, given to the agent at once: it steers what is under way. */
  send(prompt: string): void {
    this.#give({ prompt, via: "send" }, "now");
  }

  /** A word to the agent while it works: by default after what it is saying. */
  steer(prompt: string, { when = "after-response" }: { when?: PromptMoment } = {}): void {
    this.#give({ prompt, via: "steer" }, when);
  }

  /** Another prompt: by default when the agent is done with what it does. */
  queue(prompt: string, { when = "next-turn" }: { when?: PromptMoment } = {}): void {
    this.#give({ prompt, via: "queue" }, when);
  }

  /** Without an id, the one question that waits. */
  approve(interactionId = this.interaction.only("approval").id): void {
    this.interaction.respond(interactionId, { approve: true });
  }

  deny(interactionId = this.interaction.only().id, reason?: string): void {
    this.interaction.respond(interactionId, { deny: true, ...(reason !== undefined && { reason }) });
  }

  /** Goes on with the session of this run, which must have ended, as a run of its own. */
  continue(prompt: string): RunHandle {
    if (!this.isEnded) {
      throw new SpoorError(
        "INVALID_STATE_TRANSITION",
        "The run has not ended: use `send` or `queue` for further prompts.",
      );
    }
    return new RunHandle(continuation(this.#options, this.#sessionId, prompt));
  }

  /** Asks the agent to stop what it does. */
  interrupt(): void {
    if (this.#state !== "interrupted") this.#state = moved(this.#state, "interrupted");
    this.#queue.clear();
    this.#live.interrupt();
  }

  /** Ends the process and all it started. Does nothing once the run has ended. */
  abort(): void {
    if (!this.isEnded) this.#live.stop({ type: "aborted" });
  }

  pause(): void {
    if (this.#state === "paused") throw new SpoorError("INVALID_STATE_TRANSITION", "The run is paused already.");
    this.#state = moved(this.#state, "paused");
    this.#live.setPaused(true);
  }

  unpause(): void {
    if (this.#state !== "paused") throw new SpoorError("INVALID_STATE_TRANSITION", "The run is not paused.");
    this.#state = moved(this.#state, "running");
    this.#live.setPaused(false);
  }

  /** The same as `unpause`. */
  resume(): void {
    this.unpause();
  }

  #give(further: FurtherPrompt, when: PromptMoment): void {
    if (this.isEnded) throw new SpoorError("RUN_NOT_ACTIVE", "The run has ended.");
    if (further.prompt.trim() === "") throw new SpoorError("VALIDATION_ERROR", "The prompt is empty.");
    if (!this.#live.canFollow) {
      throw new SpoorError("STDIN_NOT_AVAILABLE", `This wire of ${this.agent} takes no further prompts.`);
    }
    if (when === "now") this.#follow(further);
    else this.#queue.add(further, when);
  }

  #follow({ prompt, via }: FurtherPrompt): void {
    this.#observer?.onSaid({ via, text: prompt });
    this.#live.follow(prompt);
  }

  /** The agent is done with a prompt: the next one, or the end. */
  #next(): void {
    const further = this.#queue.next();
    if (further) this.#follow(further);
    else this.#live.endInput();
  }

  #see(event: AgentEvent): void {
    this.#limits.heard();
    if (event.type === "approval_request" || event.type === "input_required") this.#answer(event);
    if (event.runId !== this.runId) return;
    if (this.#state === "spawned" && event.type !== "debug") this.#state = moved(this.#state, "running");
    if (event.type === "session_start") this.#sessionId = event.sessionId;
    if (event.type === "turn_start") this.#limits.turn();
    for (const further of this.#queue.due(event)) this.#follow(further);
  }

  #answer(question: Parameters<typeof answerWith>[1]): void {
    if (this.#options.request.approve === "deny") return;
    // It answers later, never inside the event itself.
    void answerWith(this.#options, question, this.interaction, (error, culprit) => this.#heardThrow(error, culprit));
  }

  /** Each listener's failure is told once: a listener that always throws would throw at being told, too. */
  #heardThrow(error: unknown, culprit: object): void {
    if (this.#failed.has(culprit)) return;
    this.#failed.add(culprit);
    const who = culprit === this.#options.observer ? "An observer" : "A listener";
    const message = `${who} threw: ${error instanceof Error ? error.message : String(error)}`;
    const live = this.#live as LiveRun | undefined;
    if (!live) this.#early.push(message);
    else if (this.isEnded) process.emitWarning(message);
    else live.warn(message);
  }
}
