import type { LanguageModelV4Message, LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { LoopModel } from "./provider.ts";

export type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];

/**
 * What a provider needs back unread with a turn, in the order of the answer: signatures, encrypted thinking, ids of items.
 * It is JSON. It can hold thinking that a run does not record.
 */
export interface ProviderState {
  /** State of another provider or API is of no use. */
  provider: string;
  parts: StatePart[];
}

type StatePart =
  | { type: "reasoning"; text: string; options?: SharedV4ProviderMetadata }
  | { type: "text"; options?: SharedV4ProviderMetadata }
  | { type: "tool-call"; id: string; options?: SharedV4ProviderMetadata };

/** Collects the state of a turn from the parts of its stream. Undefined if the provider needs nothing back. */
export function stateOf(
  { provider, returnsThinking = false }: Pick<LoopModel, "provider" | "returnsThinking">,
  stream: Iterable<LanguageModelV4StreamPart>,
): ProviderState | undefined {
  const parts: StatePart[] = [];
  const open = new Map<string, StatePart>();
  for (const part of stream) {
    switch (part.type) {
      case "reasoning-start":
      case "text-start": {
        const started: StatePart = part.type === "text-start" ? { type: "text" } : { type: "reasoning", text: "" };
        parts.push(started);
        open.set(`${started.type} ${part.id}`, started);
        learn(started, part.providerMetadata);
        break;
      }
      case "reasoning-delta":
      case "reasoning-end":
      case "text-delta":
      case "text-end": {
        const at = open.get(`${part.type.startsWith("text") ? "text" : "reasoning"} ${part.id}`);
        if (at?.type === "reasoning" && part.type === "reasoning-delta") at.text += part.delta;
        learn(at, part.providerMetadata);
        break;
      }
      case "tool-call": {
        const call: StatePart = { type: "tool-call", id: part.toolCallId };
        parts.push(call);
        learn(call, part.providerMetadata);
      }
    }
  }
  const needed = parts.filter((part) => part.type !== "reasoning" || part.options !== undefined || returnsThinking);
  const isNeeded = needed.some((part) => part.options !== undefined || part.type === "reasoning");
  return isNeeded ? { provider, parts: needed } : undefined;
}

/**
 * Puts the state back into a message that was made from what is recorded: its texts and calls, in order. Without a state, or
 * with that of another provider, the content stays as it is.
 */
export function withState(
  { provider }: Pick<LoopModel, "provider">,
  content: AssistantContent,
  state: ProviderState | undefined,
): AssistantContent {
  if (state?.provider !== provider) return content;
  const left = [...content];
  const merged = state.parts.flatMap((part): AssistantContent => {
    const providerOptions = part.options && { providerOptions: part.options };
    if (part.type === "reasoning") return [{ type: "reasoning", text: part.text, ...providerOptions }];
    const index = left.findIndex((one) =>
      part.type === "tool-call" ? one.type === "tool-call" && one.toolCallId === part.id : one.type === "text",
    );
    const found = index < 0 ? undefined : left.splice(index, 1)[0];
    return found === undefined ? [] : [{ ...found, ...providerOptions }];
  });
  return [...merged, ...left];
}

/** Later parts of a block know more: Anthropic sends the signature last. */
function learn(part: StatePart | undefined, metadata: SharedV4ProviderMetadata | undefined): void {
  if (part === undefined || metadata === undefined) return;
  const names = Object.keys({ ...part.options, ...metadata });
  part.options = Object.fromEntries(names.map((name) => [name, { ...part.options?.[name], ...metadata[name] }]));
}
