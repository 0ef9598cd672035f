import type { AgentEvent } from "@spoor/protocol";
import type { Signal } from "../agents/signal.ts";
import { Emitter, type EmitterOptions } from "./emitter.ts";
import { HeldFailure } from "./held-failure.ts";
import { Interactions } from "./interactions.ts";
import { modelActivity } from "./model-activity.ts";
import { createOutputBuffer } from "./output-buffer.ts";
import type { Estimate } from "./prices.ts";
import { Session, type SessionOptions } from "./session.ts";
import { Speech } from "./speech.ts";
import { Spending } from "./spending.ts";
import { Subagents } from "./subagents.ts";
import { ToolCalls } from "./tool-calls.ts";
import { Turns } from "./turns.ts";

export interface RunOptions extends EmitterOptions, SessionOptions {
  /** `false` gives the output of each model call in one piece; `auto` streams whatever the dialect can stream. */
  stream: "auto" | true | false;
  streams: { text: boolean; toolCalls: boolean; thinking: boolean };
  canAsk: boolean;
  cwd: string;
  /** List prices, for dialects that tell only tokens. Undefined until they are loaded. */
  estimate?: () => Estimate | undefined;
}

type Of<Kind extends Signal["kind"]> = Extract<Signal, { kind: Kind }>;

/**
 * Turns the signals of one run into events that keep the contract: the session comes first, turns are numbered, every span
 * that is opened is closed once, and everything is closed before the run ends, even if the agent leaves something out.
 */
export class RunAssembler {
  readonly session: Session;
  readonly subagents: Subagents;
  #paused = false;
  readonly #options: RunOptions;
  readonly #emitter: Emitter;
  readonly #turns: Turns;
  readonly #text: Speech;
  readonly #thinking: Speech;
  readonly #calls: ToolCalls;
  readonly #interactions: Interactions;
  readonly #failure: HeldFailure;
  readonly #spending: Spending;
  readonly #fallbacks = new Set<string>();
  readonly #plugins = new Set<string>();
  readonly #buffer = createOutputBuffer();

  constructor(options: RunOptions, out: (event: AgentEvent) => void) {
    const emitter = new Emitter(options, out);
    this.#options = options;
    this.#emitter = emitter;
    this.session = new Session(emitter, options);
    this.#failure = new HeldFailure(emitter);
    this.#spending = new Spending(emitter, options.estimate);
    this.#turns = new Turns(emitter, (why) => this.#closeTurn(why));
    this.subagents = new Subagents(emitter, this.#turns);
    const speech = {
      emitter,
      turnTo: (kind: "text" | "thinking") => (kind === "text" ? this.#thinking : this.#text).close(),
      begin: (kind: "text" | "thinking") => this.#turns.phase(kind === "text" ? "generation" : "thinking"),
      isBuffered: (kind: "text" | "thinking") => this.#fallsBack(kind),
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
      isBuffered: () => this.#fallsBack("tool_calls"),
      resolve: (interactionId, granted) => this.#interactions.resolve(interactionId, granted),
    });
    this.#interactions = new Interactions({
      emitter,
      isSilent: options.approve === "auto",
      begin: () => this.#turns.ensure(),
      newInteractionId: () => `appr_${options.newId()}`,
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

  /** Nothing more comes. */
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
    startup: ({ fact }) => this.#startup(fact),
    call: ({ model, provider }) => {
      this.#spending.call(model);
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
    denied: (signal) => this.#interactions.denied(signal),
    question: (signal) => this.#interactions.question(signal),
    usage: ({ usage }) => this.#spending.use(usage),
    cost: ({ cost }) => this.#spending.state(cost),
    fact: ({ fact }) => this.#fact(fact),
    fail: ({ event }) => this.#failure.hold(event),
    pause: ({ paused }) => {
      if (paused !== this.#paused) this.#emitter.emit(paused ? "paused" : "resumed", {});
      this.#paused = paused;
    },
    promptDone: ({ text }) => this.#promptDone(text),
  };

  #startup(fact: Of<"startup">["fact"]): void {
    if (this.#turns.count > 0) {
      this.note(JSON.stringify(fact));
      return;
    }
    if (fact.type === "plugin_loaded") this.#plugins.add(fact.pluginId);
    this.#emitter.fact(fact);
  }

  #callDone({ stopReason, cost }: Of<"callDone">): void {
    this.#closeSpeech();
    this.#calls.flush();
    this.#turns.callDone({ ...(stopReason !== undefined && { stopReason }), ...(cost && { cost }) });
  }

  #fact(fact: Of<"fact">["fact"]): void {
    if (fact.type === "plugin_invoked" && !this.#plugins.has(fact.pluginId)) {
      this.note(JSON.stringify(fact));
      return;
    }
    if (factsOfTurns.has(fact.type)) this.#turns.ensure();
    if (fact.type === "session_checkpoint") {
      const sessionId = this.session.id ?? "";
      this.#emitter.emit("session_checkpoint", { sessionId, checkpointId: fact.checkpointId });
    } else if (fact.type === "retry") {
      // Text from before a retry stays; the next model call opens another turn.
      this.#closeSpeech();
      this.#emitter.fact(fact);
      this.#turns.end("The model call is tried again.");
    } else this.#emitter.fact(fact);
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

  /** Whether a kind of output comes in one piece. Emits one `stream_fallback` where streaming was asked for. */
  #fallsBack(capability: "text" | "tool_calls" | "thinking"): boolean {
    const { stream, streams } = this.#options;
    if (stream === false) return true;
    if (streams[capability === "tool_calls" ? "toolCalls" : capability]) return false;
    if (!this.#fallbacks.has(capability)) {
      this.#fallbacks.add(capability);
      this.#turns.ensure();
      const reason = `This wire gives ${inWords[capability]} in one piece.`;
      this.#emitter.emit("stream_fallback", { capability, reason });
    }
    return true;
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
  }

  #end(why: string): void {
    this.subagents.close(why);
    this.#turns.end(why);
    this.#failure.emit();
    this.session.end(this.#turns.count, this.#spending.total);
  }
}

const inWords = { text: "text", tool_calls: "tool input", thinking: "thinking" };

/** Facts that must be inside a turn. */
const factsOfTurns = new Set<string>([
  "plugin_invoked",
  "plugin_error",
  "skill_invoked",
  "image_output",
  "image_input_ack",
]);
