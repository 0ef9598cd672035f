import type { CostRecord } from "@spoor/protocol";
import { asCount, asNumber, asObject, asText, type Json } from "../json-machine.ts";
import type { Signal } from "../signal.ts";
import { Calls } from "./calls.ts";
import { errorFailure } from "./failures.ts";

interface Message {
  isUser: boolean;
  /** It holds what is left of the context after it was shortened. */
  isSummary: boolean;
  model: string | undefined;
  provider: string | undefined;
  cwd: string | undefined;
}

/** One session: messages made of parts, which all wires share, however they come. */
export class Conversation {
  readonly calls: Calls;
  /** What a message that shortens the context says. */
  summary = "";
  readonly #messages = new Map<string, Message>();
  readonly #kinds = new Map<string, "text" | "thinking">();
  #snapshot = "";
  #spent: CostRecord = nothing;

  constructor(options: { tellsChildren: boolean } = { tellsChildren: false }) {
    this.calls = new Calls(options);
  }

  knows = (messageId: string): boolean => this.#messages.has(messageId);

  /** What is known of a message besides its parts. Its failure, if it has one, is told. */
  message(info: Json): Signal[] {
    const model = asObject(info.model) ?? info;
    this.#messages.set(asText(info.id) ?? "", {
      isUser: info.role === "user",
      isSummary: info.role === "assistant" && (info.summary === true || info.mode === "compaction"),
      model: asText(model.modelID),
      provider: asText(model.providerID),
      cwd: asText(asObject(info.path)?.cwd),
    });
    const error = asObject(info.error);
    return error ? [{ kind: "fail", event: errorFailure(error) }] : [];
  }

  /** `undefined` for parts that tell nothing of what the agent does. */
  part(part: Json): Signal[] | undefined {
    const message = this.#messages.get(asText(part.messageID) ?? "");
    if (message?.isUser) return undefined;
    switch (part.type) {
      case "step-start":
        return this.#stepStart(part, message);
      case "step-finish":
        return this.#stepFinish(part);
      case "text":
        return this.#speech("text", part, message);
      case "reasoning":
        return this.#speech("thinking", part, message);
      case "tool":
        return this.calls.read(part, message?.cwd);
      default:
        return undefined;
    }
  }

  /** A piece of a part. That it is of a thought, only the part says. */
  delta({ messageID, partID, field, delta }: Json): Signal[] | undefined {
    const key = asText(partID);
    const text = asText(delta);
    if (!key || text === undefined || field !== "text") return undefined;
    const message = this.#messages.get(asText(messageID) ?? "");
    if (message?.isUser || message?.isSummary) return [];
    return [{ kind: this.#kinds.get(key) ?? "text", key, delta: text }];
  }

  compacted(): Signal {
    const { summary } = this;
    this.summary = "";
    return { kind: "fact", fact: { type: "context_compacted", summary, tokensSaved: 0 } };
  }

  /** The next prompt is of another run. */
  endRun(): void {
    this.#spent = nothing;
  }

  #stepStart(part: Json, message: Message | undefined): Signal[] {
    const { model, provider } = message ?? {};
    const call: Signal = { kind: "call", ...(model && { model }), ...(provider && { provider }) };
    const snapshot = asText(part.snapshot);
    if (!snapshot || snapshot === this.#snapshot) return [call];
    this.#snapshot = snapshot;
    return [call, { kind: "fact", fact: { type: "session_checkpoint", checkpointId: snapshot } }];
  }

  #stepFinish(part: Json): Signal[] {
    const cost = costOf(part);
    this.#spent = sum(this.#spent, cost);
    const { inputTokens, outputTokens, thinkingTokens, cachedTokens } = cost;
    const optional = { ...(thinkingTokens && { thinkingTokens }), ...(cachedTokens && { cachedTokens }) };
    const stopReason = asText(part.reason);
    return [
      { kind: "usage", usage: { inputTokens, outputTokens, ...optional } },
      { kind: "cost", cost: this.#spent },
      { kind: "callDone", ...(stopReason && { stopReason }), cost },
    ];
  }

  /** A part is there, empty, before its pieces are, and comes whole at its end. */
  #speech(kind: "text" | "thinking", part: Json, message: Message | undefined): Signal[] | undefined {
    const key = asText(part.id);
    const text = asText(part.text);
    if (!key || text === undefined) return undefined;
    // What a person wrote, or is made to have written, has no time or is marked.
    if (part.synthetic === true || (!message && !part.time)) return undefined;
    this.#kinds.set(key, kind);
    if (asNumber(asObject(part.time)?.end) === undefined) return [];
    if (message?.isSummary && kind === "text") {
      this.summary += text;
      return [];
    }
    return [{ kind: kind === "text" ? "textDone" : "thinkingDone", key, text }];
  }
}

const nothing: CostRecord = { totalUsd: 0, inputTokens: 0, outputTokens: 0, source: "agent_reported" };

/** Tokens that were cached, or thought, are counted beside the others. */
function costOf(part: Json): CostRecord {
  const tokens = asObject(part.tokens) ?? {};
  const cache = asObject(tokens.cache) ?? {};
  const [input = 0, output = 0, thinkingTokens = 0, cachedTokens = 0, cacheWriteTokens = 0] = [
    ...[tokens.input, tokens.output, tokens.reasoning, cache.read, cache.write],
  ].map(asCount);
  return {
    totalUsd: Math.max(0, asNumber(part.cost) ?? 0),
    inputTokens: input + cachedTokens + cacheWriteTokens,
    outputTokens: output + thinkingTokens,
    ...(thinkingTokens > 0 && { thinkingTokens }),
    ...(cachedTokens > 0 && { cachedTokens }),
    ...(cacheWriteTokens > 0 && { cacheWriteTokens }),
    source: "agent_reported",
  };
}

const counts = ["thinkingTokens", "cachedTokens", "cacheWriteTokens"] as const;

const sum = (one: CostRecord, other: CostRecord): CostRecord => ({
  ...one,
  totalUsd: one.totalUsd + other.totalUsd,
  inputTokens: one.inputTokens + other.inputTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  ...Object.fromEntries(
    counts.flatMap((name) => {
      const total = (one[name] ?? 0) + (other[name] ?? 0);
      return total > 0 ? [[name, total]] : [];
    }),
  ),
});
