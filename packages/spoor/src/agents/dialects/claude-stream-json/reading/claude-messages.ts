import { noteOfFrame } from "../../../kit/fact-signals.ts";
import { frameReaders } from "../../../kit/json-machine.ts";
import { asCount, asObject, asObjects, asText, type Json } from "../../../kit/json-values.ts";
import { omitUndefined } from "../../../kit/omit-undefined.ts";
import { usageSignalsOf } from "../../../kit/usage-amounts.ts";
import type { Signal } from "../../../signal.ts";
import type { Calls } from "./claude-tool-calls.ts";

/** A block that the model streams. */
interface Block {
  /** For a tool call, its id. */
  key: string;
  type: unknown;
  /** Text that is held back while it may be an error of the agent; undefined once it is the model's. */
  held: string | undefined;
}

export type MessageReader = ReturnType<typeof createMessageReader>;

/**
 * Reads the messages of one model: the run's or a subagent's. Whole blocks come as assistant lines; if pieces were
 * streamed before, the line confirms them.
 */
export function createMessageReader({ profile, named, ready }: Calls, child?: string) {
  let message: string | undefined;
  /** Whether input came since the model's last output. */
  let hasNewInput = true;
  /** Streamed blocks whose line has not come yet, by index. */
  const open = new Map<unknown, Block>();
  let count = 0;
  /** An error of the agent that was reported as the model's last message. */
  let spokenError: string | undefined;

  const pieces = frameReaders({
    message_start({ message: reported }) {
      open.clear();
      return begin(asObject(reported) ?? {});
    },
    content_block_start: (event) => [...begin({}), ...start(event)],
    content_block_stop: () => [],
    message_delta: ({ usage, delta }) => [...spent(usage), ...stopped(asObject(delta)?.stop_reason)],
    message_stop() {
      hasNewInput = true;
      return [{ kind: "callDone" }];
    },
  });

  const newKey = (): string => `${message ?? ""}:${count++}`;

  function begin({ id: reported, model }: Json): Signal[] {
    const id = asText(reported);
    const isNew = profile.oneMessagePerCall ? id !== undefined && id !== message : hasNewInput;
    hasNewInput = false;
    if (!isNew) return [];
    message = id;
    return [{ kind: "call", ...omitUndefined({ model: asText(model) }) }];
  }

  function start({ index, content_block }: Json): Signal[] {
    const { type, id, name } = asObject(content_block) ?? {};
    const key = asText(id) || newKey();
    open.set(index, { key, type, held: "" });
    if (type !== "tool_use" || key !== id) return [];
    return [{ kind: "toolStart", id: key, ...named(asText(name) ?? "unknown") }];
  }

  function grow({ index, delta }: Json): Signal[] | undefined {
    const block = open.get(index);
    if (!block) return undefined;
    const { type, text, thinking, partial_json } = asObject(delta) ?? {};
    if (type === "text_delta") return say(block, asText(text) ?? "");
    if (type === "thinking_delta") return [{ kind: "thinking", key: block.key, delta: asText(thinking) ?? "" }];
    if (type === "input_json_delta") return [{ kind: "toolInput", id: block.key, delta: asText(partial_json) ?? "" }];
    return type === "signature_delta" ? [] : undefined;
  }

  function say(block: Block, text: string): Signal[] {
    const delta = (block.held ?? "") + text;
    const start = profile.messageError?.start;
    const mayBeError = block.held !== undefined && start?.startsWith(delta.slice(0, start.length));
    block.held = mayBeError ? delta : undefined;
    return mayBeError ? [] : [{ kind: "text", key: block.key, delta }];
  }

  function whole(reported: Json, isPaid: boolean): Signal | Signal[] {
    spokenError = undefined;
    if (reported.type === "tool_use") return ready(reported, child);
    const [index, streamed] = [...open].find(([, { type }]) => type === reported.type) ?? [];
    if (streamed) open.delete(index);
    const [key, text, thinking] = [streamed?.key ?? newKey(), asText(reported.text), asText(reported.thinking)];
    if (reported.type === "thinking" && thinking !== undefined) return { kind: "thinkingDone", key, text: thinking };
    if (reported.type !== "text" || text === undefined) return noteOfFrame(reported);
    if (isPaid || !profile.messageError?.whole.test(text)) return { kind: "textDone", key, text };
    spokenError = text;
    return noteOfFrame(reported);
  }

  function spent(value: unknown): Signal[] {
    const { input_tokens: input, output_tokens: output, ...cache } = asObject(value) ?? {};
    const { cache_read_input_tokens: cacheRead, cache_creation_input_tokens: cacheWrite } = cache;
    return usageSignalsOf({ input, output, cacheRead, cacheWrite }, profile.inputIncludesCache);
  }

  return {
    /** The model's last message, if it is an error of the agent. */
    get spokenError(): string | undefined {
      return spokenError;
    },
    /** The model received input. */
    listen(): void {
      hasNewInput = true;
      spokenError = undefined;
    },
    /** A streamed piece. Nearly all pieces are deltas, so they are tested first. */
    piece: (event: Json) => (event.type === "content_block_delta" ? grow(event) : pieces.get(event.type)?.(event)),
    /** A line with one or more whole blocks. */
    line(reported: Json): Signal[] | undefined {
      const blocks = asObjects(reported.content);
      if (blocks.length === 0) return undefined;
      return [
        ...begin(reported),
        ...blocks.flatMap((block) => whole(block, isPaid(reported.usage))),
        ...(profile.oneMessagePerCall ? [] : spent(reported.usage)),
        ...stopped(reported.stop_reason),
      ];
    },
  };
}

/** Whether the model produced any output. */
export const isPaid = (usage: unknown): boolean => (asCount(asObject(usage)?.output_tokens) ?? 0) > 0;

/** The model call is done, with the reason. */
export const stopped = (reason: unknown): Signal[] =>
  typeof reason === "string" ? [{ kind: "callDone", stopReason: reason }] : [];
