import type { Emitter } from "./emitter.ts";

interface Span {
  key: string;
  text: string;
  effort: string | undefined;
  /** Whether `…_start` was told; a buffered span is told when it ends. */
  told: boolean;
}

export interface SpeechHost {
  emitter: Emitter;
  /** Called before a span opens: ends the other kind of speech. */
  turnTo(kind: "text" | "thinking"): void;
  /** Called before anything is told: opens the turn and the phase. */
  begin(kind: "text" | "thinking"): void;
  /** Whether spans of this kind are told in one piece. */
  isBuffered(kind: "text" | "thinking"): boolean;
}

/** Messages, or thoughts: one span at a time, pieces added up, the authoritative text at the end. */
export class Speech {
  #open: Span | undefined;
  /** Whole texts of this turn, and keys of all turns: what was said is not said again. */
  readonly #said = new Map<string, string>();
  readonly #keys = new Set<string>();
  readonly #host: SpeechHost;
  readonly #kind: "text" | "thinking";
  /** Characters told since the last prompt. */
  told = 0;

  constructor(host: SpeechHost, kind: "text" | "thinking") {
    this.#host = host;
    this.#kind = kind;
  }

  delta(key: string, delta: string, effort?: string): void {
    if (delta === "") return;
    if (this.#open?.key !== key) {
      this.close();
      this.#host.turnTo(this.#kind);
      this.#open = { key, text: "", effort, told: false };
    }
    const span = this.#open as Span;
    span.text += delta;
    if (!this.#host.isBuffered(this.#kind)) this.#tell(span, delta);
  }

  /** The span is complete. */
  done(key: string, text: string | undefined): void {
    const before = this.#open?.key === key ? this.#open.text : this.#said.get(key);
    if (text === undefined || text === before) {
      if (this.#open?.key === key) this.close();
      return;
    }
    if (before === undefined) {
      // A key of an earlier turn was told there, whole or not.
      if (!this.#keys.has(key)) {
        this.delta(key, text);
        this.close();
      }
      return;
    }
    if (text.startsWith(before)) {
      this.#said.delete(key);
      this.delta(key, text.slice(before.length));
    } else {
      this.#host.emitter.emit("debug", {
        level: "warn",
        message: `The final text of ${JSON.stringify(key)} is not what was streamed; the streamed text stays. Final: ${text}`,
      });
    }
    this.close();
  }

  close(): void {
    const span = this.#open;
    if (!span) return;
    this.#open = undefined;
    if (!span.told) this.#tell(span, span.text);
    this.#said.set(span.key, (this.#said.get(span.key) ?? "") + span.text);
    this.#keys.add(span.key);
    if (this.#kind === "text") this.#host.emitter.emit("message_stop", { text: span.text });
    else this.#host.emitter.emit("thinking_stop", { thinking: span.text });
  }

  /** The turn is over: texts need no longer be compared. */
  endTurn(): void {
    this.close();
    this.#said.clear();
  }

  #tell(span: Span, delta: string): void {
    if (!span.told) {
      this.#host.begin(this.#kind);
      if (this.#kind === "text") this.#host.emitter.emit("message_start", {});
      else this.#host.emitter.emit("thinking_start", span.effort === undefined ? {} : { effort: span.effort });
      span.told = true;
    }
    this.told += delta.length;
    this.#host.emitter.delta(this.#kind === "text" ? "text_delta" : "thinking_delta", delta, span.text);
  }
}
