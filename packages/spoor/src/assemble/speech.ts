import type { Emitter } from "./emitter.ts";

interface Span {
  key: string;
  text: string;
  effort: string | undefined;
  /** Whether `…_start` was emitted; a buffered span is emitted when it ends. */
  isEmitted: boolean;
}

export interface SpeechHost {
  emitter: Emitter;
  /** Called before a span opens; ends the span of the other kind. */
  turnTo(kind: "text" | "thinking"): void;
  /** Called before the first event of a span; opens the turn and its phase. */
  begin(kind: "text" | "thinking"): void;
  /** Whether spans of this kind are emitted in one piece. */
  isBuffered(kind: "text" | "thinking"): boolean;
}

/** Messages or thoughts: one span at a time, whose pieces add up to the text of its end. */
export class Speech {
  #open: Span | undefined;
  /** Texts of this turn and keys of all turns, so that no text is emitted twice. */
  readonly #texts = new Map<string, string>();
  readonly #keys = new Set<string>();
  readonly #host: SpeechHost;
  readonly #kind: "text" | "thinking";
  /** Characters emitted since the last prompt. */
  emittedLength = 0;

  constructor(host: SpeechHost, kind: "text" | "thinking") {
    this.#host = host;
    this.#kind = kind;
  }

  delta(key: string, delta: string, effort?: string): void {
    if (delta === "") return;
    if (this.#open?.key !== key) {
      this.close();
      this.#host.turnTo(this.#kind);
      this.#open = { key, text: "", effort, isEmitted: false };
    }
    const span = this.#open as Span;
    span.text += delta;
    if (!this.#host.isBuffered(this.#kind)) this.#emit(span, delta);
  }

  /** Ends a span that is complete. */
  done(key: string, text: string | undefined): void {
    const before = this.#open?.key === key ? this.#open.text : this.#texts.get(key);
    if (text === undefined || text === before) {
      if (this.#open?.key === key) this.close();
      return;
    }
    if (before === undefined) {
      // A span of an earlier turn was emitted in that turn, complete or not.
      if (!this.#keys.has(key)) {
        this.delta(key, text);
        this.close();
      }
      return;
    }
    if (text.startsWith(before)) {
      this.#texts.delete(key);
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
    if (!span.isEmitted) this.#emit(span, span.text);
    this.#texts.set(span.key, (this.#texts.get(span.key) ?? "") + span.text);
    this.#keys.add(span.key);
    if (this.#kind === "text") this.#host.emitter.emit("message_stop", { text: span.text });
    else this.#host.emitter.emit("thinking_stop", { thinking: span.text });
  }

  /** Ends the open span and forgets the texts of the turn. */
  endTurn(): void {
    this.close();
    this.#texts.clear();
  }

  #emit(span: Span, delta: string): void {
    if (!span.isEmitted) {
      this.#host.begin(this.#kind);
      if (this.#kind === "text") this.#host.emitter.emit("message_start", {});
      else this.#host.emitter.emit("thinking_start", span.effort === undefined ? {} : { effort: span.effort });
      span.isEmitted = true;
    }
    this.emittedLength += delta.length;
    this.#host.emitter.delta(this.#kind === "text" ? "text_delta" : "thinking_delta", delta, span.text);
  }
}
