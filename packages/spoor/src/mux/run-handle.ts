import type { AgentEvent, AgentEventOf, AgentEventTypeLiteral } from "@spoor/protocol";
// By its own path: a command that runs an agent need not load every schema first.
import { createUlidSource } from "@spoor/protocol/ids";
import { SpoorError } from "./errors.ts";
import { EventHub } from "./event-hub.ts";
import { InteractionChannel } from "./interaction-channel.ts";
import { LiveRun, type LiveRunOptions } from "./live-run.ts";
import { ResultBuilder, type RunResult } from "./run-result.ts";

export interface RunHandleOptions extends Omit<LiveRunOptions, "hub" | "onEvent" | "onIdle"> {
  /** Milliseconds for the whole run, and without any output; 0 is no limit. */
  timeout?: number;
  inactivityTimeout?: number;
}

/**
 * How a run stands. `running` from the start; `paused` between pause and unpause; `ended` once the process is gone and
 * the last event told. Nothing leaves `ended`.
 */
export type RunState = "running" | "paused" | "ended";

/**
 * A run under way: iterate its events, listen to them, or await its result, all at once if you like. The result never
 * rejects: what went wrong is in it, and was an event before.
 */
export class RunHandle implements AsyncIterable<AgentEvent>, PromiseLike<RunResult> {
  readonly runId: string;
  readonly agent: string;
  readonly interaction: InteractionChannel;
  state: RunState = "running";
  readonly #hub = new EventHub((error) => this.#heardThrow(error));
  readonly #live: LiveRun;
  readonly #result: Promise<RunResult>;
  readonly #options: RunHandleOptions;
  readonly #queued: string[] = [];
  #runTimer: NodeJS.Timeout | undefined;
  #silenceTimer: NodeJS.Timeout | undefined;
  #turns = 0;
  #sessionId: string | undefined;

  constructor(options: RunHandleOptions) {
    this.#options = options;
    this.runId = options.runId;
    this.agent = options.adapter.name;
    const builder = new ResultBuilder();
    this.interaction = new InteractionChannel(
      (id, answer) => {
        const native = this.#live.nativeId(id);
        if (native !== undefined) this.#live.answer(native, answer);
      },
      (error) => this.#heardThrow(error),
    );
    this.#live = new LiveRun({
      ...options,
      hub: this.#hub,
      onEvent: (event) => {
        if (event.runId === this.runId) builder.add(event);
        this.interaction.see(event);
        this.#watch(event);
      },
      onIdle: () => this.#next(),
    });
    this.#startTimers(options);
    this.#result = this.#live.ended.then((exit) => {
      this.state = "ended";
      clearTimeout(this.#runTimer);
      clearTimeout(this.#silenceTimer);
      return builder.build(this.runId, this.agent, exit);
    });
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    return this.#hub.iterate();
  }

  on<T extends AgentEventTypeLiteral | "*">(type: T, listener: (event: Heard<T>) => void): this {
    this.#hub.on(type, listener as (event: AgentEvent) => void);
    return this;
  }

  off<T extends AgentEventTypeLiteral | "*">(type: T, listener: (event: Heard<T>) => void): this {
    this.#hub.off(type, listener as (event: AgentEvent) => void);
    return this;
  }

  once<T extends AgentEventTypeLiteral | "*">(type: T, listener: (event: Heard<T>) => void): this {
    const heard = (event: Heard<T>) => {
      this.off(type, heard);
      listener(event);
    };
    return this.on(type, heard);
  }

  result(): Promise<RunResult> {
    this.#hub.detachSlow();
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
    this.#requireActive();
    if (!this.#live.follow(prompt)) {
      throw new SpoorError("STDIN_NOT_AVAILABLE", `This wire of ${this.agent} takes no further prompts.`);
    }
  }

  /** The same: a word to the agent while it works. */
  steer(prompt: string): void {
    this.send(prompt);
  }

  /** Another prompt, given when the agent is done with what it does. */
  queue(prompt: string): void {
    this.#requireActive();
    this.#queued.push(prompt);
  }

  approve(interactionId: string): void {
    this.interaction.respond(interactionId, { approve: true });
  }

  deny(interactionId: string, reason?: string): void {
    this.interaction.respond(interactionId, { deny: true, ...(reason !== undefined && { reason }) });
  }

  /** Goes on with the session of this run, which must have ended, as a run of its own. */
  continue(prompt: string): RunHandle {
    if (this.state !== "ended") {
      throw new SpoorError(
        "INVALID_STATE_TRANSITION",
        "The run has not ended: use `send` or `queue` for further prompts.",
      );
    }
    const resume = this.#sessionId;
    if (resume === undefined || resume.startsWith("transient-")) {
      throw new SpoorError("SESSION_NOT_FOUND", `${this.agent} kept no session that could go on.`);
    }
    const request = { ...this.#options.request, prompt, resume };
    return new RunHandle({ ...this.#options, runId: newRunId(), request });
  }

  /** Asks the agent to stop what it does. */
  interrupt(): void {
    this.#requireActive();
    this.#queued.length = 0;
    this.#live.interrupt();
  }

  /** Ends the process and all it started. Does nothing once the run has ended. */
  abort(): void {
    if (this.state !== "ended") this.#live.stop({ type: "aborted" });
  }

  pause(): void {
    this.#requireActive();
    if (this.state === "paused") throw new SpoorError("INVALID_STATE_TRANSITION", "The run is paused already.");
    this.state = "paused";
    this.#live.setPaused(true);
  }

  unpause(): void {
    if (this.state !== "paused") throw new SpoorError("INVALID_STATE_TRANSITION", "The run is not paused.");
    this.state = "running";
    this.#live.setPaused(false);
  }

  /** The agent is done with a prompt: the next one, or the end. */
  #next(): void {
    const prompt = this.#queued.shift();
    if (prompt === undefined || !this.#live.follow(prompt)) this.#live.endInput();
  }

  #requireActive(): void {
    if (this.state === "ended") throw new SpoorError("RUN_NOT_ACTIVE", "The run has ended.");
  }

  #watch(event: AgentEvent): void {
    this.#silenceTimer?.refresh();
    if (event.runId !== this.runId) return;
    if (event.type === "session_start") this.#sessionId = event.sessionId;
    if (event.type !== "turn_start") return;
    this.#turns += 1;
    const { maxTurns } = this.#options.request;
    if (maxTurns !== undefined && this.#turns > maxTurns) this.#live.stop({ type: "turn_limit", maxTurns });
  }

  #startTimers({ timeout, inactivityTimeout }: RunHandleOptions): void {
    if (timeout) this.#runTimer = setTimeout(() => this.#live.stop({ type: "timeout", kind: "run" }), timeout);
    if (inactivityTimeout) this.#silenceTimer = setTimeout(() => this.#silent(), inactivityTimeout);
  }

  /** Nothing was heard for as long as is allowed. Silence that is ours, paused or asked, is not the agent's. */
  #silent(): void {
    if (this.state === "paused" || this.interaction.pending.length > 0) this.#silenceTimer?.refresh();
    else this.#live.stop({ type: "timeout", kind: "inactivity" });
  }

  #heardThrow(error: unknown): void {
    this.#live.warn(`A listener threw: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const newRunId = createUlidSource();

type Heard<T> = T extends AgentEventTypeLiteral ? AgentEventOf<T> : AgentEvent;
