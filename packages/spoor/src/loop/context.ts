import type { LoopRun } from "./loop-run.ts";
import { createStateReader, readOn } from "./loop-run.ts";
import { callModel, tellUsage } from "./model-call.ts";
import type { ModelRequest } from "./providers/request.ts";

/** The conversation is shortened when this share of the context is used. */
const COMPACT_AT = 0.8;
/** A rough figure that holds for English and for code. */
const BYTES_PER_TOKEN = 4;

/** How many tokens a request has, roughly. */
export const tokensOf = (request: ModelRequest): number =>
  Math.ceil(Buffer.byteLength(JSON.stringify([request.prompt, request.tools ?? []])) / BYTES_PER_TOKEN);

/** Whether a request is so long that the conversation must be shortened first. */
export const isTooLong = ({ model }: LoopRun, request: ModelRequest): boolean =>
  model.contextTokens !== undefined && tokensOf(request) >= model.contextTokens * COMPACT_AT;
export async function compact(_run: LoopRun): Promise<boolean> {
  void [createStateReader, readOn, callModel, tellUsage];
  return false;
}
