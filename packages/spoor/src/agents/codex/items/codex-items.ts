import { asArray, asObject, asText, type Json } from "../../kit/json-values.ts";
import { lookUp } from "../../kit/look-up.ts";
import type { Signal } from "../../signal.ts";
import { toolItems } from "./codex-tool-items.ts";
import type { ModelCalls } from "./model-calls.ts";

const speech = new Set(["agentMessage", "plan", "reasoning"]);

/** Reads the items of one thread from their start to their end. Types have the names of the app server. */
export class Items {
  /** Running calls, with the output of their commands so far. */
  readonly #open = new Map<string, { item: Json; output: string }>();
  /** Messages and thoughts that have begun. */
  readonly #spoken = new Set<string>();
  readonly #ended = new Set<string>();
  readonly #calls: ModelCalls;

  constructor(calls: ModelCalls) {
    this.#calls = calls;
  }

  started(item: Json): Signal[] | undefined {
    const { id, type } = identityOf(item);
    if (speech.has(type)) return this.#calls.output();
    const tool = lookUp(toolItems, type);
    if (!tool || id === "" || this.#ended.has(id)) return undefined;
    if (!this.#open.has(id)) this.#open.set(id, { item, output: "" });
    return [...this.#calls.toolStarted(id), ...tool.start(id, item)];
  }

  ended(item: Json): Signal[] | undefined {
    const { id, type } = identityOf(item);
    if (speech.has(type)) return this.#speechEnded(id, item);
    const tool = lookUp(toolItems, type);
    const started = tool && this.started(item);
    if (!started) return undefined;
    const rest = this.#unseenOutput(id, item);
    this.#open.delete(id);
    this.#ended.add(id);
    this.#calls.toolEnded(id);
    return [...started, ...rest, ...tool.end(id, item)];
  }

  /** A piece of a message or a thought. The end already contained any piece that comes after it. */
  piece(kind: "text" | "thinking", id: string, delta: string, part = ""): Signal[] | undefined {
    if (this.#ended.has(id)) return undefined;
    this.#spoken.add(id);
    return [...this.#calls.output(), { kind, key: `${id}${part}`, delta }];
  }

  output(id: string, text: string): Signal[] {
    const call = this.#open.get(id);
    if (call) call.output += text;
    return [{ kind: "output", id, stream: "stdout", text }];
  }

  /** The item of a running call. */
  running(id: string): Json | undefined {
    return this.#open.get(id)?.item;
  }

  allRunning(): Json[] {
    return [...this.#open.values()].map(({ item }) => item);
  }

  /** All open items are over. */
  reset(): void {
    for (const id of [...this.#open.keys(), ...this.#spoken]) this.#ended.add(id);
    this.#open.clear();
    this.#spoken.clear();
    this.#calls.reset();
  }

  #speechEnded(id: string, item: Json): Signal[] {
    const isNew = !this.#ended.has(id);
    this.#ended.add(id);
    this.#spoken.delete(id);
    const begun = isNew ? this.#calls.output() : [];
    if (item.type !== "reasoning") return [...begun, { kind: "textDone", key: id, text: asText(item.text) ?? "" }];
    const summary = asText(item.text) ?? asArray(item.summary).join("\n\n");
    const content = asArray(item.content).join("\n\n");
    return [
      ...begun,
      { kind: "thinkingDone", key: id, text: summary },
      ...(content ? [{ kind: "thinkingDone", key: `${id}#content`, text: content } as const] : []),
    ];
  }

  /** Deltas may lack the beginning of the output. The output after them is reported; the result contains all of it. */
  #unseenOutput(id: string, item: Json): Signal[] {
    const whole = asText(item.aggregatedOutput) ?? "";
    const seen = this.#open.get(id)?.output ?? "";
    const at = whole.indexOf(seen);
    const text = at < 0 ? "" : whole.slice(at + seen.length);
    return text ? [{ kind: "output", id, stream: "stdout", text }] : [];
  }
}

const identityOf = (item: Json) => ({ id: asText(item.id) ?? "", type: asText(item.type) ?? "" });

export const itemIn = (holder: Json): Json => asObject(holder.item) ?? {};
