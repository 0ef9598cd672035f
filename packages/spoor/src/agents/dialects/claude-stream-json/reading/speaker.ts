import { noteOf } from "../../../facts.ts";
import { given } from "../../../given.ts";
import { asCount, asNumber, asObject, asObjects, asText, type Json } from "../../../json-machine.ts";
import type { Signal } from "../../../signal.ts";
import type { Tools } from "./tools.ts";

/** What the model streams. */
interface Block {
  key: string;
  type: unknown;
  /** For a tool call. */
  id: string;
  /** Text kept back while it may be an error in disguise; undefined when it proved to be none. */
  held: string | undefined;
}

/**
 * What one model says: the run's, or a subagent's. Whole blocks come as assistant lines; where pieces are streamed too,
 * the line confirms them.
 */
export class Speaker {
  readonly #tools: Tools;
  readonly #child: string | undefined;
  #message: string | undefined;
  /** Whether input came since the model's last output. */
  #listened = true;
  /** Streamed blocks whose line is to come, by index. */
  readonly #open = new Map<number, Block>();
  #count = 0;
  #stopReason: string | undefined;

  constructor(tools: Tools, child?: string) {
    this.#tools = tools;
    this.#child = child;
  }

  /** Something was said to the model. */
  listen(): void {
    this.#listened = true;
  }

  /** A streamed piece. */
  piece(event: Json): Signal[] | undefined {
    const index = asNumber(event.index) ?? 0;
    switch (event.type) {
      case "message_start":
        this.#open.clear();
        return this.#begin(asObject(event.message) ?? {});
      case "content_block_start":
        return [...this.#begin({}), ...this.#start(index, asObject(event.content_block) ?? {})];
      case "content_block_delta":
        return this.#piece(this.#open.get(index), asObject(event.delta) ?? {});
      case "content_block_stop":
        return [];
      case "message_delta":
        this.#stopReason = asText(asObject(event.delta)?.stop_reason);
        return this.#used(event.usage);
      case "message_stop":
        if (!this.#tools.profile.oneMessagePerCall) this.listen();
        return [this.finish(this.#stopReason)];
      default:
        return undefined;
    }
  }

  /** One or more whole blocks. */
  line(message: Json): Signal[] | undefined {
    const blocks = asObjects(message.content);
    if (blocks.length === 0) return undefined;
    const signals = [...this.#begin(message), ...blocks.flatMap((block) => this.#whole(block))];
    const stopReason = asText(message.stop_reason);
    if (!this.#tools.profile.oneMessagePerCall) signals.push(...this.#used(message.usage));
    if (stopReason !== undefined) signals.push(this.finish(stopReason));
    return signals;
  }

  /** The model is done with this call. */
  finish(stopReason: string | undefined): Signal {
    this.#stopReason = undefined;
    return { kind: "callDone", ...given({ stopReason }) };
  }

  #begin(message: Json): Signal[] {
    const id = asText(message.id);
    const isNew = this.#tools.profile.oneMessagePerCall ? id !== undefined && id !== this.#message : this.#listened;
    this.#listened = false;
    if (!isNew) return [];
    this.#message = id;
    return [{ kind: "call", ...given({ model: asText(message.model) }) }];
  }

  #start(index: number, { type, id, name }: Json): Signal[] {
    const block: Block = { key: this.#newKey(), type, id: asText(id) ?? "", held: "" };
    this.#open.set(index, block);
    if (type !== "tool_use" || block.id === "") return [];
    return [{ kind: "toolStart", id: block.id, ...this.#tools.named(asText(name) ?? "unknown") }];
  }

  #piece(block: Block | undefined, { type, text, thinking, partial_json }: Json): Signal[] | undefined {
    if (!block) return undefined;
    if (type === "text_delta") return this.#say(block, asText(text) ?? "");
    if (type === "thinking_delta") return [{ kind: "thinking", key: block.key, delta: asText(thinking) ?? "" }];
    if (type === "input_json_delta") return [{ kind: "toolInput", id: block.id, delta: asText(partial_json) ?? "" }];
    return type === "signature_delta" ? [] : undefined;
  }

  #say(block: Block, text: string): Signal[] {
    const { key, held } = block;
    const delta = (held ?? "") + text;
    const { spokenError } = this.#tools.profile;
    const mayBeError = held !== undefined && spokenError?.startsWith(delta.slice(0, spokenError.length));
    block.held = mayBeError ? delta : undefined;
    return mayBeError ? [] : [{ kind: "text", key, delta }];
  }

  #whole(block: Json): Signal | Signal[] {
    if (block.type === "tool_use") return this.#tools.ready(block, this.#child);
    const [text, thinking] = [asText(block.text), asText(block.thinking)];
    const key = this.#confirm(block.type);
    if (block.type === "thinking" && thinking !== undefined) return { kind: "thinkingDone", key, text: thinking };
    // An error told as text: the result says what it was.
    const { spokenError } = this.#tools.profile;
    const isError = spokenError !== undefined && text?.startsWith(spokenError);
    return block.type !== "text" || text === undefined || isError ? noteOf(block) : { kind: "textDone", key, text };
  }

  /** The key of the streamed block that a whole one confirms. */
  #confirm(type: unknown): string {
    const [index, block] = [...this.#open].find(([, each]) => each.type === type) ?? [];
    if (index !== undefined) this.#open.delete(index);
    return block?.key ?? this.#newKey();
  }

  #newKey(): string {
    return `${this.#message ?? ""}:${this.#count++}`;
  }

  #used(value: unknown): Signal[] {
    const usage = asObject(value) ?? {};
    const count = (name: string): number => asCount(usage[name]) ?? 0;
    const cachedTokens = count("cache_read_input_tokens");
    const cached = this.#tools.profile.inputIncludesCache ? 0 : cachedTokens + count("cache_creation_input_tokens");
    const [inputTokens, outputTokens] = [count("input_tokens") + cached, count("output_tokens")];
    if (inputTokens + outputTokens === 0) return [];
    return [{ kind: "usage", usage: { inputTokens, outputTokens, cachedTokens } }];
  }
}
