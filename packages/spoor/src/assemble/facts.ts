import type { Signal } from "../agents/signal.ts";
import type { Emitter } from "./emitter.ts";
import type { Turns } from "./turns.ts";

type Of<Kind extends Signal["kind"]> = Extract<Signal, { kind: Kind }>;

export interface FactsHost {
  emitter: Emitter;
  turns: Turns;
  sessionId(): string | undefined;
  /** Ends the open message or thought. */
  closeSpeech(): void;
}

/** Emits facts (single events that open and close no span) where the contract allows them. */
export class Facts {
  readonly #plugins = new Set<string>();
  readonly #host: FactsHost;

  constructor(host: FactsHost) {
    this.#host = host;
  }

  /** Reports what the agent loaded at its start. After the first turn, the report becomes a debug event. */
  startup(fact: Of<"startup">["fact"]): void {
    if (this.#host.turns.count > 0) {
      this.#note(fact);
      return;
    }
    if (fact.type === "plugin_loaded") this.#plugins.add(fact.pluginId);
    this.#host.emitter.fact(fact);
  }

  emit(fact: Of<"fact">["fact"]): void {
    const { emitter, turns, sessionId, closeSpeech } = this.#host;
    if (fact.type === "plugin_invoked" && !this.#plugins.has(fact.pluginId)) {
      this.#note(fact);
      return;
    }
    if (factsOfTurns.has(fact.type)) turns.ensure();
    if (fact.type === "session_checkpoint") {
      emitter.emit("session_checkpoint", { sessionId: sessionId() ?? "", checkpointId: fact.checkpointId });
    } else if (fact.type === "retry") {
      // Text from before a retry stays; the next model call opens another turn.
      closeSpeech();
      emitter.fact(fact);
      turns.end("The model call is tried again.");
    } else emitter.fact(fact);
  }

  #note(fact: object): void {
    this.#host.emitter.emit("debug", { level: "verbose", message: JSON.stringify(fact) });
  }
}

/** The facts that the contract allows only inside a turn. */
const factsOfTurns = new Set<string>([
  "plugin_invoked",
  "plugin_error",
  "skill_invoked",
  "image_output",
  "image_input_ack",
]);
