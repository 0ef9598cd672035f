import { asText, type Json } from "../kit/json-values.ts";
import type { Signal } from "../signal.ts";

/**
 * Reads the model's messages and finds where a model call begins. A piece has a time and no call id. A line with both,
 * or with neither, repeats the pieces since the last such line. Without pieces, the line is the whole message.
 */
export class MessageReader {
  /** Whether any text was reported. */
  hasOutput = false;
  #model: string | undefined;
  #messages = 0;
  /** The pieces since the last whole line, and that line if nothing has come after it. */
  #pieces = "";
  #whole: string | undefined;
  #thoughts = 0;
  #call: string | undefined;
  #isCalling = false;

  begin(model: string | undefined): void {
    this.#model = model;
    this.#isCalling = false;
  }

  text(frame: Json, text: string): Signal[] {
    const call = asText(frame.model_call_id);
    const isPiece = frame.timestamp_ms !== undefined && call === undefined;
    if (!isPiece && this.#pieces === "" && text === this.#whole) return [];
    const begun = this.called(call);
    this.hasOutput = true;
    const key = `text-${this.#messages}`;
    if (isPiece) {
      this.#pieces += text;
      return [...begun, { kind: "text", key, delta: text }];
    }
    // The last line may repeat all of the text.
    const isMore = this.#pieces !== "" && text !== this.#pieces && text.endsWith(this.#pieces);
    this.#messages += 1;
    this.#pieces = "";
    this.#whole = text;
    return [...begun, { kind: "textDone", key, ...(!isMore && { text }) }];
  }

  thinking({ subtype, text }: Json): Signal[] | undefined {
    const key = `thinking-${this.#thoughts}`;
    if (subtype === "delta") return [...this.called(undefined), { kind: "thinking", key, delta: asText(text) ?? "" }];
    if (subtype !== "completed") return undefined;
    this.#thoughts += 1;
    return [{ kind: "thinkingDone", key }];
  }

  /**
   * Output of a model call, with or without an id. If a call produced output before its id was known, the next id is
   * its own.
   */
  called(id: string | undefined): Signal[] {
    const isKnown = id !== undefined && id === this.#call;
    const isSame = this.#isCalling && (id === undefined || this.#call === undefined);
    this.#call = isSame ? (this.#call ?? id) : id;
    this.#isCalling = true;
    if (isKnown || isSame) return [];
    return [{ kind: "call", ...(this.#model !== undefined && { model: this.#model }) }];
  }

  /** A tool has returned, so output without an id belongs to another call. */
  listen(): void {
    this.#whole = undefined;
    this.#isCalling = false;
  }
}
