import type { AgentEvent } from "@spoor/protocol";
import type { Signal } from "../agents/signal.ts";
import { Emitter, type EmitterOptions } from "./emitter.ts";
import { Facts } from "./facts.ts";
import { HeldFailure } from "./held-failure.ts";
import { type HeldQuestion, Interactions } from "./interactions.ts";
import { modelActivity } from "./model-activity.ts";
import { createOutputBuffer } from "./output-buffer.ts";
import { Session, type SessionOptions } from "./session.ts";
import { Speech } from "./speech.ts";
import { Spending, type SpendingOptions } from "./spending.ts";
import { Streaming, type StreamingOptions } from "./streaming.ts";
import { Subagents } from "./subagents.ts";
import { ToolCalls } from "./tool-calls.ts";
import { Turns } from "./turns.ts";

export interface RunOptions extends EmitterOptions, SessionOptions, StreamingOptions, SpendingOptions {
  canAsk: boolean;
  /** Receives each question before anybody is asked. Absent: every question is asked. */
  hold?: (question: HeldQuestion) => void;
  cwd: string;
}

type Of<Kind extends Signal["kind"]> = Extract<Signal, { kind: Kind }>;

/**
 * Turns the signals of one run into events that keep the contract: the session comes first, turns are numbered, every span
 * that is opened is closed once, and everything is closed before the run ends, even if the agent leaves something out.
 */
export class RunAssembler {
  readonly session: Session;
  readonly subagents: Subagents;
  readonly spending: Spending;
  #paused = false;
  readonly #options: RunOptions;
  readonly #emitter: Emitter;
  readonly #turns: Turns;
  readonly #text: Speech;
  readonly #thinking: Speech;
  readonly #calls: ToolCalls;
  readonly #interactions: Interactions;
  readonly #failure: HeldFailure;
  readonly #facts: Facts;
  readonly #streaming: Streaming;
  readonly #buffer = createOutputBuffer();

  constructor(options: RunOptions, out: (event: AgentEvent) => void) {
    const emitter = new Emitter(options, out);
    this.#options = options;
    this.#emitter = emitter;
    this.session = new Session(emitter, options);
    this.#failure = new HeldFailure(emitter);
    this.spending = new Spending(emitter, options);
    this.#turns = new Turns(emitter, (why) => this.#closeTurn(why));
    this.subagents = new Subagents(emitter, this.#turns);
    this.#facts = new Facts({
      emitter,
      turns: this.#turns,
      sessionId: () => this.session.id,
      closeSpeech: () => this.#closeSpeech(),
    });
    this.#streaming = new Streaming(emitter, this.#turns, options);
    const speech = {
      emitter,
      turnTo: (kind: "text" | "thinking") => (kind === "text" ? this.#thinking : this.#text).close(),
      begin: (kind: "text" | "thinking") => this.#turns.phase(kind === "text" ? "generation" : "thinking"),
      isBuffered: (kind: "text" | "thinking") => this.#streaming.isBuffered(kind),
    };
    this.#text = new Speech(speech, "text");
    this.#thinking = new Speech(speech, "thinking");
    this.#calls = new ToolCalls({
      emitter,
      canAsk: options.canAsk,
      cwd: options.cwd,
      begin: () => {
        this.#closeSpeech();
        this.#turns.phase("tool_use");
      },
      isBuffered: () => this.#streaming.isBuffered("tool_calls"),
      resolve: (interactionId, granted) => this.#interactions.resolve(interactionId, granted),
    });
    this.#interactions = new Interactions({
      emitter,
      isSilent: options.approve === "auto",
      begin: () => this.#turns.ensure(),
      newInteractionId: () => `appr_${options.newId()}`,
      hold: options.hold,
      blocked: (toolId, reason) => this.#calls.block(toolId, reason),
      writerOf: (file) => this.#calls.writerOf(file),
      asked: (toolId, interactionId) => this.#calls.ask(toolId, interactionId),
      answered: (toolId, interactionId, granted) => this.#calls.answered(toolId, interactionId, granted),
    });
  }

  get runId(): string {
    return this.#emitter.runId;
  }

  nativeId(interactionId: string): string | undefined {
    return this.#interactions.nativeId(interactionId);
  }

  /** Turns of the session so far. */
  get turns(): number {
    return this.session.priorTurns + this.#turns.count;
  }

  accept(signal: Signal): void {
    if (signal.kind === "log") this.#emitter.emit("log", { source: signal.source, line: signal.line });
    else if (signal.kind === "note") this.note(signal.message, signal.level);
    else if (this.session.ended) this.note(JSON.stringify(signal));
    else if (signal.kind === "session") this.session.name(signal);
    // A prompt makes no event, so that the agent can still name its session.
    else if (signal.kind === "prompt") this.#text.emittedLength = 0;
    else {
      this.session.ensure();
      if (this.#options.stream === false) {
        if (this.#buffer.hold(signal)) return;
        this.#flush();
      }
      this.#apply(signal);
    }
  }

  note(message: string, level: "verbose" | "info" | "warn" = "verbose"): void {
    this.#emitter.emit("debug", { level, message });
  }

  /** Call this when the input has ended. */
  finish(): void {
    if (this.session.ended) return;
    this.session.ensure();
    this.#flush();
    this.#end("The run ended.");
  }

  #flush(): void {
    const held = this.#buffer.flush();
    if (held.length === 0) return;
    for (const signal of held) this.#apply(signal);
    this.#closeSpeech();
  }

  #apply(signal: Signal): void {
    if (this.#failure.isHeld && modelActivity.has(signal.kind)) this.#failure.recover();
    (this.#handlers[signal.kind] as ((signal: Signal) => void) | undefined)?.(signal);
  }

  readonly #handlers: { [Kind in Signal["kind"]]?: (signal: Of<Kind>) => void } = {
    startup: ({ fact }) => this.#facts.startup(fact),
    call: ({ model, provider }) => {
      this.spending.call(model);
      this.#turns.call(model, provider);
    },
    callDone: (signal) => this.#callDone(signal),
    text: ({ key, delta }) => this.#text.delta(key, delta),
    textDone: ({ key, text }) => this.#text.done(key, text),
    thinking: ({ key, delta, effort }) => this.#thinking.delta(key, delta, effort),
    thinkingDone: ({ key, text }) => this.#thinking.done(key, text),
    toolStart: (signal) => this.#calls.start(signal),
    toolInput: (signal) => this.#calls.input(signal),
    toolReady: (signal) => this.#calls.ready(signal),
    shell: (signal) => this.#calls.shell(signal),
    output: (signal) => this.#calls.output(signal),
    toolEnd: (signal) => this.#calls.end(signal),
    spawn: (signal) => this.subagents.spawn(signal),
    spawnEnd: (signal) => this.subagents.end(signal),
    ask: (signal) => {
      // A question that comes before its call opens the call.
      if (signal.tool) this.#calls.ready({ kind: "toolReady", ...signal.tool });
      this.#interactions.ask(signal);
    },
    answer: ({ id, granted, reason }) => this.#interactions.answer(id, granted, reason),
    verdict: (signal) => this.#interactions.verdict(signal),
    denied: (signal) => this.#interactions.denied(signal),
    question: (signal) => this.#interactions.question(signal),
    usage: ({ usage }) => this.spending.use(usage),
    cost: ({ cost }) => this.spending.state(cost),
    fact: ({ fact }) => this.#facts.emit(fact),
    fail: ({ event }) => this.#failure.hold(event),
    pause: ({ paused }) => {
      if (paused !== this.#paused) this.#emitter.emit(paused ? "paused" : "resumed", {});
      this.#paused = paused;
    },
    promptDone: ({ text }) => this.#promptDone(text),
  };

  #callDone({ stopReason, cost }: Of<"callDone">): void {
    this.#closeSpeech();
    this.#calls.flush();
    this.#turns.callDone({ ...(stopReason !== undefined && { stopReason }), ...(cost && { cost }) });
  }

  #promptDone(text: string | undefined): void {
    this.#closeSpeech();
    if (this.#failure.isHeld) {
      this.#end("The prompt failed.");
      return;
    }
    if (text && this.#text.emittedLength === 0) {
      this.#text.delta("result", text);
      this.#text.close();
    }
    this.#turns.end("The prompt is done.");
  }

  #closeSpeech(): void {
    this.#thinking.close();
    this.#text.close();
  }

  #closeTurn(why: string): void {
    this.#thinking.endTurn();
    this.#text.endTurn();
    this.#interactions.close(why);
    this.#calls.close(why);
    this.spending.settle();
  }

  #end(why: string): void {
    this.subagents.close(why);
    this.#turns.end(why);
    this.#failure.emit();
    this.session.end(this.#turns.count, this.spending.total);
  }
}
