import type { LoopModel } from "./provider.ts";

/** Returns how many tokens fit into a request to a model; undefined if nobody says so. */
export async function contextTokensOf({ id, prices }: Pick<LoopModel, "id" | "prices">): Promise<number | undefined> {
  const listed = knownContexts.find(({ models }) => models.test(id));
  if (listed) return listed.tokens;
  if (prices === undefined) return undefined;
  // Loaded when used: the table is large.
  const { calcPrice } = await import("@pydantic/genai-prices");
  return calcPrice({ input_tokens: 0, output_tokens: 0 }, id, { providerId: prices })?.model.context_window;
}

/** Whether a model can call tools. Of a model that Spoor does not know, it is assumed. */
export const canUseTools = (id: string): boolean => !withoutTools.some((models) => models.test(id));

/** Models whose context the list of prices does not know. A test holds this against the list. */
export const knownContexts: readonly { models: RegExp; tokens: number }[] = [
  { models: /^gemini-2\.5-pro(?!.*tts)/, tokens: 1_048_576 },
  { models: /^gemini-3(\.\d+)?-pro-preview/, tokens: 1_048_576 },
];

/** Models that do not take tools, or do not answer in text. */
const withoutTools: readonly RegExp[] = [
  /^claude-(v?1|2|instant)/,
  /^(ada|babbage|curie|davinci|text-|whisper|tts-|dall-e|omni-moderation|moderation)/,
  /^(o1-mini|o1-preview|gpt-3\.5-turbo-instruct|gpt-4-vision-preview|chatgpt-4o-latest)/,
  /^(gpt-image|sora)|-(transcribe|tts|search-preview|deep-research)\b/,
  /-(embedding|image)\b|^imagen|^veo|^gemma-[23]/,
];
