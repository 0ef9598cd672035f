import type { CostRecord } from "@spoor/protocol";
import { contextCompacted } from "../../kit/fact-signals.ts";
import { fail } from "../../kit/failures.ts";
import { asCount, asNumber, asObject, asText, type Json } from "../../kit/json-values.ts";
import { omitUndefined } from "../../kit/omit-undefined.ts";
import { positiveCounts } from "../../kit/usage-amounts.ts";
import type { Signal } from "../../signal.ts";
import { errorFailure } from "./opencode-failures.ts";
import { Calls } from "./opencode-tool-calls.ts";

interface Message {
  isUser: boolean;
  /** The message is the summary after a compaction. */
  isSummary: boolean;
  model: string | undefined;
  provider: string | undefined;
  cwd: string | undefined;
}

/** Reads one session: messages that consist of parts. All dialects share this structure. */
export class Conversation {
  readonly calls: Calls;
  /** The text of a summary message. */
  summary = "";
  readonly #messages = new Map<string, Message>();
  readonly #kinds = new Map<string, "text" | "thinking">();
  #snapshot = "";
  #spent: CostRecord = nothing;

  constructor(options: { reportsSubagents: boolean } = { reportsSubagents: false }) {
    this.calls = new Calls(options);
  }

  knows = (messageId: string): boolean => this.#messages.has(messageId);

  /** Notes the facts of a message besides its parts. Reports its failure, if it has one. */
  message(info: Json): Signal[] {
    const model = asObject(info.model) ?? info;
    this.#messages.set(asText(info.id) ?? "", {
      isUser: info.role === "user",
      isSummary: info.role === "assistant" && (info.summary === true || info.mode === "compaction"),
      model: asText(model.modelID) || undefined,
      provider: asText(model.providerID) || undefined,
      cwd: asText(asObject(info.path)?.cwd),
    });
    const error = asObject(info.error);
    return error ? [fail(errorFailure(error))] : [];
  }

  /** Returns `undefined` for parts that do not report an action of the agent. */
  part(part: Json): Signal[] | undefined {
    const message = this.#messages.get(asText(part.messageID) ?? "");
    if (message?.isUser) return undefined;
    if (part.type === "text") return this.#speech("text", part, message);
    if (part.type === "reasoning") return this.#speech("thinking", part, message);
    if (part.type === "tool") return this.calls.read(part, message?.cwd);
    if (part.type === "step-start") return this.#stepStart(part, message);
    return part.type === "step-finish" ? this.#stepFinish(part) : undefined;
  }

  /** A piece of a part. Only the part itself says whether it is a thought. */
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
    return contextCompacted(summary);
  }

  /** The next prompt belongs to another run. */
  endRun(): void {
    this.#spent = nothing;
  }

  #stepStart(part: Json, message: Message | undefined): Signal[] {
    const { model, provider } = message ?? {};
    const call: Signal = { kind: "call", ...omitUndefined({ model, provider }) };
    const snapshot = asText(part.snapshot);
    if (!snapshot || snapshot === this.#snapshot) return [call];
    this.#snapshot = snapshot;
    return [call, { kind: "fact", fact: { type: "session_checkpoint", checkpointId: snapshot } }];
  }

  #stepFinish(part: Json): Signal[] {
    const cost = costOf(part);
    this.#spent = sum(this.#spent, cost);
    const { inputTokens, outputTokens, thinkingTokens, cachedTokens } = cost;
    const stopReason = asText(part.reason) || undefined;
    return [
      { kind: "usage", usage: { inputTokens, outputTokens, ...omitUndefined({ thinkingTokens, cachedTokens }) } },
      { kind: "cost", cost: this.#spent },
      { kind: "callDone", ...omitUndefined({ stopReason }), cost },
    ];
  }

  /** A part comes first empty, then in pieces, and as a whole at its end. */
  #speech(kind: "text" | "thinking", part: Json, message: Message | undefined): Signal[] | undefined {
    const key = asText(part.id);
    const text = asText(part.text);
    if (!key || text === undefined) return undefined;
    // A user's text, or text written in the user's name, has no time or is marked.
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

/** Cached tokens and thinking tokens are counted separately. */
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
    ...positiveCounts({ thinkingTokens, cachedTokens, cacheWriteTokens }),
    source: "agent_reported",
  };
}

const sum = (one: CostRecord, other: CostRecord): CostRecord => ({
  ...one,
  totalUsd: one.totalUsd + other.totalUsd,
  inputTokens: one.inputTokens + other.inputTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  ...positiveCounts({
    thinkingTokens: (one.thinkingTokens ?? 0) + (other.thinkingTokens ?? 0),
    cachedTokens: (one.cachedTokens ?? 0) + (other.cachedTokens ?? 0),
    cacheWriteTokens: (one.cacheWriteTokens ?? 0) + (other.cacheWriteTokens ?? 0),
  }),
});
