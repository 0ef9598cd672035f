import { textOf } from "../../dialects/pi/results/pi-results.ts";
import { contextCompacted, rateLimited, recoverableError, retrySignal } from "../../kit/fact-signals.ts";
import { fail, interrupted } from "../../kit/failures.ts";
import { asCount, asObject, asObjects, asText, type Json } from "../../kit/json-values.ts";
import { omitUndefined } from "../../kit/omit-undefined.ts";
import { UsageTotals } from "../../kit/usage-totals.ts";
import type { Signal } from "../../signal.ts";
import { failureOf } from "./openclaw-failures.ts";
import { type Call, Calls } from "./openclaw-tool-calls.ts";
import { StreamedText } from "./streamed-text.ts";

/**
 * Reads one session from three sources: what its agent does (`agent`), the same for screens (`chat`), and the stored
 * messages (`session.message`). The first streams. The last has the tokens and everything that was not streamed. The
 * second counts only if the first reports nothing.
 */
export class Conversation {
  readonly calls: Calls;
  /** Runs that have not ended. */
  readonly working = new Set<string>();
  readonly #text = new StreamedText("text");
  readonly #thinking = new StreamedText("thinking");
  readonly #totals = new UsageTotals();
  readonly #ended = new Set<string>();
  readonly #messages = new Set<string>();
  /** Whether a model call has begun whose message is not stored yet. */
  #isCalling = false;
  #lastError = "";

  constructor(spawned: (call: Call, childKey: string) => Signal[]) {
    this.calls = new Calls(spawned);
  }

  /** A run begins: a client asked for it, or the agent reports the result of a subagent. */
  begin(runId: string): void {
    if (!this.#ended.has(runId)) this.working.add(runId);
  }

  agent(payload: Json): Signal[] | undefined {
    const runId = asText(payload.runId) ?? "";
    const data = asObject(payload.data) ?? {};
    // An aborted run still sends events.
    if (this.#ended.has(runId)) return undefined;
    this.begin(runId);
    switch (payload.stream) {
      case "lifecycle":
        return this.#lifecycle(runId, data);
      case "run_status":
        return data.phase === "retrying" ? this.#retry(data) : undefined;
      case "assistant":
        return this.#text.grow(asText(data.itemId), asText(data.text) ?? "", data.replace === true);
      case "thinking":
        return this.#thinking.grow(asText(data.itemId), asText(data.text) ?? "", data.replace === true);
      case "tool":
        return this.calls.tool(data);
      case "command_output":
        return this.calls.command(data);
      case "item":
        // Text before a call is streamed nowhere else.
        return data.kind === "preamble"
          ? this.#text.grow(asText(data.itemId), asText(data.progressText) ?? "", false)
          : this.calls.card(data);
      case "compaction":
        return data.phase === "end" ? shortened(data) : undefined;
      default:
        return undefined;
    }
  }

  chat(payload: Json): Signal[] | undefined {
    const runId = asText(payload.runId) ?? "";
    const { state } = payload;
    if (state === "delta" || state === "status" || this.#ended.has(runId)) return [];
    const text = textOf(asObject(payload.message) ?? {});
    const reason = asText(asObject(payload.errorDetail)?.failoverReason);
    const { stopReason } = payload;
    if (state === "aborted") return this.#end(runId, { isAborted: true, stopReason });
    if (state === "final") return this.#end(runId, { text, stopReason });
    const error = asText(payload.errorMessage) ?? "The run failed.";
    return state === "error" ? this.#end(runId, { error, reason }) : undefined;
  }

  /** A stored message. A failed message is skipped because the failure itself is reported. */
  message(payload: Json): Signal[] | undefined {
    const message = asObject(payload.message) ?? {};
    const id = asText(payload.messageId) ?? asText(asObject(message.__openclaw)?.id);
    if (id !== undefined && this.#messages.has(`${id} ${message.role}`)) return [];
    if (id !== undefined) this.#messages.add(`${id} ${message.role}`);
    if (message.role === "toolResult") {
      const result = { content: message.content, ...omitUndefined({ details: asObject(message.details) }) };
      return this.calls.end(asText(message.toolCallId), asText(message.toolName), result, message.isError === true);
    }
    if (message.role !== "assistant" || message.stopReason === "error") return undefined;
    const isModels = message.provider !== "openclaw" && message.model !== undefined;
    const call = isModels && !this.#isCalling ? this.#call(message) : [];
    if (isModels) this.#isCalling = false;
    const stopReason = asText(message.stopReason) || undefined;
    const { signals: spent, cost } = this.#totals.add(withReasoning(asObject(message.usage) ?? {}));
    return [
      ...call,
      ...asObjects(message.content).flatMap((block) => this.#block(block)),
      ...spent,
      ...(isModels ? [{ kind: "callDone", ...omitUndefined({ stopReason, cost }) } as const] : []),
    ];
  }

  /** The gateway refused the prompt. */
  refuse(runId: string, message: string): Signal[] {
    return this.#end(runId, { error: message });
  }

  #block(block: Json): Signal[] {
    if (block.type === "text") return this.#text.whole(asText(block.text) ?? "");
    if (block.type === "thinking") return this.#thinking.whole(asText(block.thinking) ?? "");
    if (block.type !== "toolCall") return [];
    return this.calls.ready(asText(block.id), asText(block.name), block.arguments);
  }

  #lifecycle(runId: string, data: Json): Signal[] | undefined {
    const error = asText(data.error);
    if (error) this.#lastError = error;
    switch (data.phase) {
      case "start":
        return [];
      case "model":
        return asText(data.model) ? this.#call(data) : [];
      case "fallback_step":
        return asText(data.fallbackStepToModel) ? fallback(data) : undefined;
      case "end":
      case "error":
        return this.#end(runId, {
          isAborted: data.aborted === true,
          error: data.phase === "error" ? (error ?? "The run failed.") : undefined,
          reason: asText(asObject(data.errorObservation)?.failoverReason),
          stopReason: data.stopReason,
          text: asText(asObject(data.terminalReply)?.text),
        });
      default:
        return error ? undefined : [];
    }
  }

  #call(of: Json): Signal[] {
    const [model, provider] = [asText(of.model) || undefined, asText(of.provider) || undefined];
    this.#text.reset();
    this.#thinking.reset();
    this.#isCalling = true;
    return [{ kind: "call", ...omitUndefined({ model, provider }) }];
  }

  #retry({ retryAttempt, maxRetries, delayMs, reason, message }: Json): Signal[] {
    const why = this.#lastError || asText(message) || asText(reason) || "The model call failed.";
    this.#isCalling = false;
    return [
      ...(reason === "rate_limit" ? [rateLimited(asCount(delayMs) ?? 0)] : []),
      retrySignal(why, { attempt: retryAttempt, maxAttempts: maxRetries, delayMs }),
    ];
  }

  #end(runId: string, { isAborted = false, error, reason, stopReason: reported, text }: Ending): Signal[] {
    this.#ended.add(runId);
    this.working.delete(runId);
    this.#isCalling = false;
    const stopReason = asText(reported);
    const event = isAborted ? interrupted : error === undefined ? undefined : failureOf(error, reason);
    // Costs are counted from the start of a run, and a prompt after a failure starts another run.
    if (event) this.#totals.reset();
    return [
      ...(stopReason ? [{ kind: "callDone", stopReason } as const] : []),
      ...(event ? [fail(event)] : []),
      { kind: "promptDone", ...(text && !event && { text }) },
    ];
  }
}

interface Ending {
  isAborted?: boolean;
  error?: string | undefined;
  reason?: string | undefined;
  stopReason?: unknown;
  text?: string | undefined;
}

function fallback(data: Json): Signal[] {
  const [from, to] = [data.fallbackStepFromModel, data.fallbackStepToModel];
  return [recoverableError(`${from} failed, so ${to} is asked: ${asText(data.fallbackStepFromFailureDetail) ?? ""}`)];
}

function shortened(data: Json): Signal[] | undefined {
  if (data.completed !== true) return undefined;
  const [before = 0, after = 0] = [data.tokensBefore, data.tokensAfter].map(asCount);
  return [contextCompacted(data.summary, after > 0 ? before - after : 0)];
}

/** OpenClaw has another name for thinking tokens. */
const withReasoning = (usage: Json): Json => ({ ...usage, reasoning: usage.reasoning ?? usage.reasoningTokens });
