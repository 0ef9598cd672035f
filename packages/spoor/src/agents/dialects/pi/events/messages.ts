import { given } from "../../../given.ts";
import { asNumber, asObject, asObjects, asText, type Json } from "../../../json-machine.ts";
import type { Signal } from "../../../signal.ts";
import type { Calls } from "../calls/index.ts";

/** The model's messages, block by block. A message's content index and the count of messages make its blocks' keys. */
export class Messages {
  /** How hard the model is told to think, where that was said. */
  effort: string | undefined;
  readonly #calls: Calls;
  #count = 0;
  /** The message as it was when it began: the only place that names its first tool call on some wires. */
  #opening: Json = {};
  /** Ids of the calls being written, by content index. */
  readonly #ids = new Map<number, string>();

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  start(message: Json): Signal[] {
    this.#count += 1;
    this.#opening = message;
    this.#ids.clear();
    this.#calls.forget();
    const [model, provider] = [asText(message.model) || undefined, asText(message.provider) || undefined];
    return [{ kind: "call", ...given({ model, provider }) }];
  }

  update(frame: Json): Signal[] | undefined {
    const event = asObject(frame.assistantMessageEvent) ?? {};
    const index = asNumber(event.contentIndex) ?? 0;
    const key = this.#key(index);
    const delta = asText(event.delta) ?? "";
    switch (event.type) {
      case "text_delta":
        return [{ kind: "text", key, delta }];
      case "text_end":
        return [{ kind: "textDone", key, ...textIn(event.content) }];
      case "thinking_delta":
        return [{ kind: "thinking", key, delta, ...(this.effort && { effort: this.effort }) }];
      case "thinking_end":
        return [{ kind: "thinkingDone", key, ...textIn(event.content) }];
      case "toolcall_start":
        return this.#callStart(index, [event, blockOf(event.partial, index), blockOf(frame.message, index)]);
      case "toolcall_delta":
        return this.#ids.has(index) ? [{ kind: "toolInput", id: this.#ids.get(index) as string, delta }] : [];
      case "toolcall_end":
        return this.#block(asObject(event.toolCall) ?? {}, index);
      default:
        return event.type !== undefined && marks.has(String(event.type)) ? [] : undefined;
    }
  }

  /** The whole message: what its pieces left out. */
  end(message: Json): Signal[] {
    return asObjects(message.content).flatMap((block, index) => this.#block(block, index));
  }

  #block(block: Json, index: number): Signal[] {
    const key = this.#key(index);
    if (block.type === "text") return [{ kind: "textDone", key, ...textIn(block.text) }];
    if (block.type === "thinking") return [{ kind: "thinkingDone", key, ...textIn(block.thinking) }];
    const id = asText(block.id);
    if (block.type !== "toolCall" || !id) return [];
    return this.#calls.ready(id, asText(block.name) || "unknown", block.arguments ?? {});
  }

  /** Where nothing names the call yet, it begins when its input is complete. */
  #callStart(index: number, places: readonly Json[]): Signal[] {
    const place = [...places, blockOf(this.#opening, index)].find((block) => asText(block.id));
    const id = asText(place?.id);
    const name = asText(place?.toolName) || asText(place?.name);
    if (!id || !name) return [];
    this.#ids.set(index, id);
    return this.#calls.begin(id, name);
  }

  #key(index: number): string {
    return `${this.#count}.${index}`;
  }
}

/** Events that only mark a beginning, or an end that the message's own end tells. */
const marks = new Set(["start", "text_start", "thinking_start", "done", "error"]);

const blockOf = (message: unknown, index: number): Json => asObjects(asObject(message)?.content)[index] ?? {};

const textIn = (value: unknown): { text?: string } => given({ text: asText(value) });
