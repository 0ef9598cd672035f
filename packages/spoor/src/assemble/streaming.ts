import type { Emitter } from "./emitter.ts";
import type { Turns } from "./turns.ts";

export interface StreamingOptions {
  /** `false` emits the output of each model call in one piece; `auto` streams what the dialect can stream. */
  stream: "auto" | true | false;
  streams: { text: boolean; toolCalls: boolean; thinking: boolean };
}

/** Decides which output is streamed. */
export class Streaming {
  readonly #emitter: Emitter;
  readonly #turns: Turns;
  readonly #options: StreamingOptions;
  readonly #reported = new Set<string>();

  constructor(emitter: Emitter, turns: Turns, options: StreamingOptions) {
    this.#emitter = emitter;
    this.#turns = turns;
    this.#options = options;
  }

  /** Whether a kind of output comes in one piece. Emits one `stream_fallback` where the dialect cannot stream it. */
  isBuffered(capability: "text" | "tool_calls" | "thinking"): boolean {
    const { stream, streams } = this.#options;
    if (stream === false) return true;
    if (streams[capability === "tool_calls" ? "toolCalls" : capability]) return false;
    if (!this.#reported.has(capability)) {
      this.#reported.add(capability);
      this.#turns.ensure();
      const reason = `This wire gives ${names[capability]} in one piece.`;
      this.#emitter.emit("stream_fallback", { capability, reason });
    }
    return true;
  }
}

const names = { text: "text", tool_calls: "tool input", thinking: "thinking" };
