import { rateLimited, retrySignal } from "../../kit/fact-signals.ts";
import { asCount, asObjects, asText, type Json } from "../../kit/json-values.ts";
import { omitUndefined } from "../../kit/omit-undefined.ts";
import type { Signal } from "../../signal.ts";
import { callFailure } from "./copilot-failures.ts";
import { Calls } from "./copilot-tool-calls.ts";

/** One agent of a session, the main one or a subagent: its model calls, messages and tools. */
export class SessionAgent {
  readonly calls = new Calls();
  model: string | undefined;
  /** The agent's last message: the report of a subagent. */
  lastMessage = "";
  /** The turn's first model call was reported, but its own event has not come yet. */
  #isCallDue = false;
  #hasThought = false;
  readonly #thoughts = new Set<string>();
  #stopReason: string | undefined;
  #failure = "";
  #retries = 0;

  configure(model: unknown): undefined {
    this.model = asText(model) ?? this.model;
  }

  turnStarted(): Signal[] {
    this.#isCallDue = true;
    this.#retries = 0;
    return this.#call();
  }

  /** A second call in a turn is a retry. */
  callStarted({ model }: Json): Signal[] {
    this.configure(model);
    const isReported = this.#isCallDue;
    this.#isCallDue = false;
    return isReported ? [] : this.#call();
  }

  callFailed(data: Json): Signal[] | undefined {
    this.#failure = callFailure(data);
    return data.statusCode === 429 ? [rateLimited()] : undefined;
  }

  retried({ reason }: Json): Signal[] {
    this.#isCallDue = false;
    this.#retries += 1;
    const why = [asText(reason), this.#failure].filter(Boolean).join(": ");
    return [retrySignal(why, { attempt: this.#retries })];
  }

  thinking({ reasoningId, deltaContent }: Json): Signal[] {
    const key = asText(reasoningId) ?? "";
    this.#thoughts.add(key);
    this.#hasThought = true;
    return [{ kind: "thinking", key, delta: asText(deltaContent) ?? "" }];
  }

  /** Comes after the message that it led to. The whole text is trimmed; the pieces were not. */
  thought({ reasoningId, content }: Json): Signal[] {
    const key = asText(reasoningId) ?? "";
    if (this.#thoughts.has(key)) return [{ kind: "thinkingDone", key }];
    return this.#hasThought ? [] : [{ kind: "thinkingDone", key, text: asText(content) ?? "" }];
  }

  /** The model's output is complete. */
  message(data: Json): Signal[] {
    const key = asText(data.messageId) ?? "";
    const content = asText(data.content) ?? "";
    const thought = this.#hasThought ? undefined : asText(data.reasoningText);
    const stopReason = this.#stopReason;
    this.#hasThought ||= Boolean(thought);
    this.lastMessage = content || this.lastMessage;
    this.#stopReason = undefined;
    return [
      ...(thought ? [{ kind: "thinkingDone", key: `thought-of-${key}`, text: thought } as const] : []),
      ...(content ? [{ kind: "textDone", key, text: content } as const] : []),
      ...asObjects(data.toolRequests).flatMap((request) => this.calls.ready(request)),
      { kind: "callDone", ...omitUndefined({ stopReason }) },
    ];
  }

  usage(data: Json): Signal[] {
    this.#stopReason = asText(data.finishReason) ?? this.#stopReason;
    return [usageOf(data)];
  }

  #call(): Signal[] {
    this.#hasThought = false;
    return [{ kind: "call", ...omitUndefined({ model: this.model }) }];
  }
}

/** Tokens of one model call; the input includes those read from a cache. */
export function usageOf(data: Json): Signal {
  const [inputTokens = 0, outputTokens = 0, cachedTokens = 0, thinkingTokens] = [
    ...[data.inputTokens, data.outputTokens, data.cacheReadTokens, data.reasoningTokens],
  ].map(asCount);
  return { kind: "usage", usage: { inputTokens, outputTokens, cachedTokens, ...omitUndefined({ thinkingTokens }) } };
}
