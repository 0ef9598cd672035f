import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Signal } from "../agents/signal.ts";
import type { StatePart } from "./provider-state.ts";
import type { LoopTool } from "./tools/tool.ts";

/** A call that the model proposed. */
export interface ProposedCall {
  id: string;
  name: string;
  /** The parsed input; undefined if it is no JSON. */
  input: unknown;
  /** Why the call cannot run. */
  problem?: string;
}

/** What one model call gave. */
export interface ModelOutput {
  calls: ProposedCall[];
  /** Everything in the order in which it came, with what the provider needs back. */
  parts: StatePart[];
  usage: LanguageModelV4Usage | undefined;
  /** Why the model stopped; undefined while it has not. */
  finish: string | undefined;
  hasText: boolean;
}

type PartOf<T extends LanguageModelV4StreamPart["type"]> = Extract<LanguageModelV4StreamPart, { type: T }>;

/** More calls than this in one turn are refused. */
const MAX_CALLS = 16;

export interface ReaderOptions {
  /** The number of the turn. Keys of messages are unique within the run. */
  turn: number;
  findTool(name: string): LoopTool | undefined;
  /** Whether an earlier call of the run has this id. */
  isUsed(id: string): boolean;
}

/** Reads the stream of one model call: its parts become signals, and what the turn needs afterwards is collected. */
export class StreamReader {
  readonly output: ModelOutput = { calls: [], parts: [], usage: undefined, finish: undefined, hasText: false };
  readonly #options: ReaderOptions;
  /** The state of the open spans, by the provider's id. */
  readonly #open = new Map<string, { key: string; part: StatePart }>();
  /** Our ids of the calls whose input is being told, by the provider's. */
  readonly #ids = new Map<string, string>();
  /** Our ids of all calls of this answer. */
  readonly #taken = new Set<string>();
  #spans = 0;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  read(part: LanguageModelV4StreamPart): Signal[] {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        this.#begin(part);
        return [];
      case "text-delta":
      case "reasoning-delta":
        return this.#delta(part);
      case "text-end":
      case "reasoning-end":
        return this.#end(part);
      case "tool-input-start":
        return part.providerExecuted ? [] : [this.#toolStart(part)];
      case "tool-input-delta": {
        const id = this.#ids.get(part.id);
        return id === undefined ? [] : [{ kind: "toolInput", id, delta: part.delta }];
      }
      case "tool-call":
        return part.providerExecuted ? [] : [this.#toolCall(part)];
      case "custom":
        this.output.parts.push({ type: "custom", kind: part.kind, ...optionsOf(part) });
        return [];
      case "finish":
        this.output.usage = part.usage;
        this.output.finish = part.finishReason.unified;
        return [];
      default:
        return [];
    }
  }

  #begin(part: PartOf<"text-start" | "reasoning-start">): { key: string; part: StatePart } {
    this.#spans += 1;
    const state: StatePart =
      part.type === "text-start"
        ? { type: "text", text: "", ...optionsOf(part) }
        : { type: "reasoning", text: "", ...optionsOf(part) };
    const opened = { key: `${this.#options.turn}-${this.#spans}`, part: state };
    this.#open.set(part.id, opened);
    this.output.parts.push(state);
    return opened;
  }

  #delta(part: PartOf<"text-delta" | "reasoning-delta">): Signal[] {
    const isText = part.type === "text-delta";
    const opened =
      this.#open.get(part.id) ?? this.#begin({ type: isText ? "text-start" : "reasoning-start", id: part.id });
    if ("text" in opened.part) opened.part.text += part.delta;
    Object.assign(opened.part, optionsOf(part));
    if (isText && part.delta !== "") this.output.hasText ||= part.delta.trim() !== "";
    return [{ kind: isText ? "text" : "thinking", key: opened.key, delta: part.delta }];
  }

  #end(part: PartOf<"text-end" | "reasoning-end">): Signal[] {
    const opened = this.#open.get(part.id);
    if (!opened) return [];
    this.#open.delete(part.id);
    Object.assign(opened.part, optionsOf(part));
    return [{ kind: part.type === "text-end" ? "textDone" : "thinkingDone", key: opened.key }];
  }

  #toolStart({ id, toolName }: PartOf<"tool-input-start">): Signal {
    return { kind: "toolStart", id: this.#idOf(id), name: toolName, ...this.#factsOf(toolName) };
  }

  #toolCall(part: PartOf<"tool-call">): Signal {
    const { toolCallId, toolName: name } = part;
    const id = this.#idOf(toolCallId);
    // A further call with the same id is another call.
    this.#ids.delete(toolCallId);
    const read = inputOf(part.input);
    const problem =
      this.output.calls.length >= MAX_CALLS
        ? `At most ${MAX_CALLS} calls can be made at once. Propose this one again.`
        : read.problem;
    this.output.calls.push({ id, name, input: read.input, ...(problem !== undefined && { problem }) });
    this.output.parts.push({ type: "tool-call", id, ...optionsOf(part) });
    return { kind: "toolReady", id, name, input: read.input, ...this.#factsOf(name) };
  }

  #factsOf(name: string): Pick<Extract<Signal, { kind: "toolReady" }>, "toolKind" | "mcp"> {
    const tool = this.#options.findTool(name);
    return { toolKind: tool?.kind ?? "other", ...(tool?.mcp && { mcp: tool.mcp }) };
  }

  /** Some providers use an id again, in the next turn or even in the same answer; in a run, an id names one call. */
  #idOf(native: string): string {
    const known = this.#ids.get(native);
    if (known !== undefined) return known;
    const isTaken = (id: string) => this.#options.isUsed(id) || this.#taken.has(id);
    const base = native === "" ? `call-${this.#options.turn}` : native;
    let id = base;
    for (let n = 2; isTaken(id); n += 1) id = `${base}-${n}`;
    this.#ids.set(native, id);
    this.#taken.add(id);
    return id;
  }
}

function inputOf(text: string): { input: unknown; problem?: string } {
  try {
    const input: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    if (typeof input === "object" && input !== null && !Array.isArray(input)) return { input };
    return { input: { raw: input }, problem: "The arguments must be a JSON object." };
  } catch {
    return { input: { raw: text }, problem: "The arguments are not valid JSON." };
  }
}

const optionsOf = ({ providerMetadata }: { providerMetadata?: StatePart["providerOptions"] }) =>
  providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
