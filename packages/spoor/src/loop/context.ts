import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { type LoopRun, mustStillPerform, readOn } from "./loop-run.ts";
import { requestOf, tellUsage } from "./model-call.ts";
import { callOptionsOf, type ModelRequest } from "./providers/request.ts";
import { StreamReader } from "./signals.ts";

/** The conversation is shortened when this share of the context is used. */
const COMPACT_AT = 0.8;
/** A rough figure that holds for English and for code. */
const BYTES_PER_TOKEN = 4;
/** Characters of a summary that is made without the model. */
const PLAIN_CHARS = 8_000;

/** How many tokens a request has, roughly. */
export const tokensOf = ({ prompt, tools = [] }: ModelRequest): number =>
  Math.ceil(Buffer.byteLength(JSON.stringify([prompt, tools])) / BYTES_PER_TOKEN);

/** Whether a request is so long that the conversation must be shortened first. */
export const isTooLong = ({ model }: LoopRun, request: ModelRequest): boolean =>
  model.contextTokens !== undefined && tokensOf(request) >= model.contextTokens * COMPACT_AT;

/**
 * Shortens the conversation: the model sums it up, and from then on it gets the summary instead. What it gets is the text of
 * the event, whole. Returns false if there is nothing to shorten, if the run stops, and, unless it `must`, if the model can sum
 * it up only later.
 */
export async function compact(run: LoopRun, { must = false } = {}): Promise<boolean> {
  const { conversation, record } = run;
  if (!conversation.entries.some(({ type }) => type === "turn")) return false;
  const messages = await conversation.messages(run.readState);
  const before = tokensOf(requestOf(run, messages));
  const answer = await askForSummary(run, messages);
  mustStillPerform(run);
  if (run.control.stopReason !== undefined || (answer === LATER && !must)) return false;
  const summary = [
    "The conversation was shortened. This is what you need to go on.",
    `The user asked:\n${conversation.prompt}`,
    `What happened so far:\n${typeof answer === "string" ? answer : plainSummary(messages)}`,
  ].join("\n\n");
  const after = tokensOf({ prompt: [{ role: "user", content: [{ type: "text", text: summary }] }] });
  record.tell([
    { kind: "fact", fact: { type: "context_compacted", summary, tokensSaved: Math.max(0, before - after) } },
  ]);
  await readOn(run);
  return true;
}

const WANTED = `Sum up this conversation, so that somebody who has not seen it can go on with the work: what was asked, what was
done and found, which files matter and how they stand, what is left to do. Write plain text and make no call.`;

/** The model cannot answer now, for instance because of a rate limit. */
const LATER = Symbol("later");

/** Undefined if the model cannot do it, for instance because the conversation is too long already. */
async function askForSummary(
  run: LoopRun,
  messages: LanguageModelV4Prompt,
): Promise<string | typeof LATER | undefined> {
  const { model, signal } = run;
  const asked: LanguageModelV4Prompt = [...messages, { role: "user", content: [{ type: "text", text: WANTED }] }];
  const { tools: _, ...request } = requestOf(run, asked);
  const reader = new StreamReader({ turn: 0, findTool: () => undefined, isUsed: () => false });
  let text = "";
  try {
    const { stream } = await model.model.doStream(callOptionsOf(model, { ...request, signal }));
    for await (const part of stream) {
      if (part.type === "error") throw part.error;
      if (part.type === "text-delta") text += part.delta;
      reader.read(part);
    }
  } catch (error) {
    return run.failureOf(error).retriable ? LATER : undefined;
  }
  tellUsage(run, { ...reader.output, finish: undefined });
  return text.trim() === "" ? undefined : text.trim();
}

/** The last words of the conversation. */
function plainSummary(messages: LanguageModelV4Prompt): string {
  const texts = messages.flatMap((message) =>
    message.role === "assistant" ? message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])) : [],
  );
  const all = texts.join("\n\n");
  return all.length > PLAIN_CHARS ? `… ${all.slice(-PLAIN_CHARS)}` : all;
}
