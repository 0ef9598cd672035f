import { asNumber, asObject, asObjects, asText, type Json } from "../../../kit/json-values.ts";
import { omitUndefined } from "../../../kit/omit-undefined.ts";
import type { UsageTotals } from "../../../kit/usage-totals.ts";
import type { Signal } from "../../../signal.ts";
import type { Calls } from "../calls/pi-tool-calls.ts";

/**
 * Reads the model's messages, block by block. The key of a block is the number of its message and its content index.
 */
export function createMessages(calls: Calls, totals: UsageTotals) {
  let count = 0;
  /** The message as it began. In some modes only this names its first tool call. */
  let opening: Json = {};
  /** Ids of the calls that the model is writing, by content index. */
  const ids = new Map<number, string>();
  let images: Signal[] = [];
  let effort: string | undefined;

  const keyOf = (index: number): string => `${count}.${index}`;

  /** Images of a prompt belong to the model call that receives them. */
  function show(shown: Signal[]): void {
    images = shown;
  }

  /** The thinking level, if the agent reports it. */
  function think(level: unknown): undefined {
    effort = asText(level) ?? effort;
  }

  function start(message: Json): Signal[] {
    count += 1;
    opening = message;
    ids.clear();
    calls.forget();
    const [model, provider] = [asText(message.model) || undefined, asText(message.provider) || undefined];
    return [{ kind: "call", ...omitUndefined({ model, provider }) }, ...images.splice(0)];
  }

  function update({ assistantMessageEvent, message }: Json): Signal[] | undefined {
    const event = asObject(assistantMessageEvent) ?? {};
    const index = asNumber(event.contentIndex) ?? 0;
    const key = keyOf(index);
    const delta = asText(event.delta) ?? "";
    switch (event.type) {
      case "text_delta":
        return [{ kind: "text", key, delta }];
      case "text_end":
        return [{ kind: "textDone", key, ...omitUndefined({ text: asText(event.content) }) }];
      case "thinking_delta":
        return [{ kind: "thinking", key, delta, ...(effort && { effort }) }];
      case "thinking_end":
        return [{ kind: "thinkingDone", key, ...omitUndefined({ text: asText(event.content) }) }];
      case "toolcall_start":
        return startCall(index, event, message);
      case "toolcall_delta":
        return ids.has(index) ? [{ kind: "toolInput", id: ids.get(index) as string, delta }] : [];
      case "toolcall_end":
        return readBlock(asObject(event.toolCall) ?? {}, index);
      default:
        return marks.has(event.type) ? [] : undefined;
    }
  }

  /** The whole message: the blocks that were not streamed, and its usage. */
  function end(message: Json): Signal[] {
    const { signals, cost } = totals.add(asObject(message.usage) ?? {});
    const stopReason = asText(message.stopReason) || undefined;
    return [
      ...asObjects(message.content).flatMap(readBlock),
      ...signals,
      { kind: "callDone", ...omitUndefined({ stopReason, cost }) },
    ];
  }

  function readBlock(block: Json, index: number): Signal[] {
    const key = keyOf(index);
    if (block.type === "text") return [{ kind: "textDone", key, ...omitUndefined({ text: asText(block.text) }) }];
    if (block.type === "thinking")
      return [{ kind: "thinkingDone", key, ...omitUndefined({ text: asText(block.thinking) }) }];
    return (block.type === "toolCall" && calls.ready(block.id, block.name, block.arguments ?? {})) || [];
  }

  /** If nothing names the call yet, it begins when its input is complete. */
  function startCall(index: number, event: Json, soFar: unknown): Signal[] {
    const blocks = [event.partial, soFar, opening].map((message) => asObjects(asObject(message)?.content)[index]);
    const place = [event, ...blocks].find((block) => asText(block?.id));
    const [id, name] = [asText(place?.id), asText(place?.toolName) || asText(place?.name)];
    if (!id || !name) return [];
    ids.set(index, id);
    return calls.begin(id, name);
  }

  return { show, think, start, update, end };
}

/** Events that only mark a beginning, or an end that the message's own end also reports. */
const marks = new Set<unknown>(["start", "text_start", "thinking_start", "done", "error"]);
