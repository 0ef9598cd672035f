import { noteOf } from "../../../facts.ts";
import { given } from "../../../given.ts";
import { asCount, asObject, asObjects, asText, type Json } from "../../../json-machine.ts";
import type { Signal } from "../../../signal.ts";
import { used } from "../../../spent.ts";
import type { Calls } from "./calls.ts";

/** What the model streams. */
interface Block {
  /** Of a tool call, its id. */
  key: string;
  type: unknown;
  /** Text kept back while it may be an error in disguise; undefined when it proved to be none. */
  held: string | undefined;
}

export type Speaker = ReturnType<typeof createSpeaker>;

/**
 * What one model says: the run's, or a subagent's. Whole blocks come as assistant lines; where pieces are streamed too,
 * the line confirms them.
 */
export function createSpeaker({ profile, named, ready }: Calls, child?: string) {
  let message: string | undefined;
  /** Whether input came since the model's last output. */
  let hasListened = true;
  /** Streamed blocks whose line is to come, by index. */
  const open = new Map<unknown, Block>();
  let count = 0;

  const newKey = (): string => `${message ?? ""}:${count++}`;

  function begin({ id: told, model }: Json): Signal[] {
    const id = asText(told);
    const isNew = profile.oneMessagePerCall ? id !== undefined && id !== message : hasListened;
    hasListened = false;
    if (!isNew) return [];
    message = id;
    return [{ kind: "call", ...given({ model: asText(model) }) }];
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
    const { key } = block;
    if (type === "text_delta") return say(block, asText(text) ?? "");
    if (type === "thinking_delta") return [{ kind: "thinking", key, delta: asText(thinking) ?? "" }];
    if (type === "input_json_delta") return [{ kind: "toolInput", id: key, delta: asText(partial_json) ?? "" }];
    return type === "signature_delta" ? [] : undefined;
  }

  function say(to: Block, text: string): Signal[] {
    const { key, held } = to;
    const delta = (held ?? "") + text;
    const { spokenError } = profile;
    const mayBeError = held !== undefined && spokenError?.startsWith(delta.slice(0, spokenError.length));
    to.held = mayBeError ? delta : undefined;
    return mayBeError ? [] : [{ kind: "text", key, delta }];
  }

  function whole(told: Json): Signal | Signal[] {
    if (told.type === "tool_use") return ready(told, child);
    const [index, streamed] = [...open].find(([, { type }]) => type === told.type) ?? [];
    if (streamed) open.delete(index);
    const [key, text, thinking] = [streamed?.key ?? newKey(), asText(told.text), asText(told.thinking)];
    if (told.type === "thinking" && thinking !== undefined) return { kind: "thinkingDone", key, text: thinking };
    // An error told as text: the result says what it was.
    const isError = profile.spokenError !== undefined && text?.startsWith(profile.spokenError);
    return told.type !== "text" || text === undefined || isError ? noteOf(told) : { kind: "textDone", key, text };
  }

  function spent(value: unknown): Signal[] {
    const usage = asObject(value) ?? {};
    const tokens = (name: string): number => asCount(usage[name]) ?? 0;
    const cachedTokens = tokens("cache_read_input_tokens");
    const cacheWriteTokens = tokens("cache_creation_input_tokens");
    const cached = profile.inputIncludesCache ? 0 : cachedTokens + cacheWriteTokens;
    const inputTokens = tokens("input_tokens") + cached;
    return used({ inputTokens, outputTokens: tokens("output_tokens"), cachedTokens, cacheWriteTokens });
  }

  return {
    /** Something was said to the model. */
    listen(): void {
      hasListened = true;
    },
    /** A streamed piece. */
    piece(event: Json): Signal[] | undefined {
      switch (event.type) {
        case "message_start":
          open.clear();
          return begin(asObject(event.message) ?? {});
        case "content_block_start":
          return [...begin({}), ...start(event)];
        case "content_block_delta":
          return grow(event);
        case "content_block_stop":
          return [];
        case "message_delta":
          return [...spent(event.usage), ...stopped(asObject(event.delta)?.stop_reason)];
        case "message_stop":
          hasListened = true;
          return [{ kind: "callDone" }];
        default:
          return undefined;
      }
    },
    /** One or more whole blocks. */
    line(told: Json): Signal[] | undefined {
      const blocks = asObjects(told.content);
      if (blocks.length === 0) return undefined;
      return [
        ...begin(told),
        ...blocks.flatMap(whole),
        ...(profile.oneMessagePerCall ? [] : spent(told.usage)),
        ...stopped(told.stop_reason),
      ];
    },
  };
}

/** The model is done with a call, and says why. */
export const stopped = (reason: unknown): Signal[] =>
  typeof reason === "string" ? [{ kind: "callDone", stopReason: reason }] : [];
