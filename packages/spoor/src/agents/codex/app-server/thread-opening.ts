import { agentdocRead } from "../../kit/fact-signals.ts";
import { asArray, asObject, asText, asTexts, type Json } from "../../kit/json-values.ts";
import { omitUndefined } from "../../kit/omit-undefined.ts";
import type { Signal } from "../../signal.ts";

/** Whether a result opens a thread. The result of reading a thread has no instructions. */
export const isOpening = (result: Json): boolean =>
  asObject(result.thread) !== undefined && Array.isArray(result.instructionSources);

/**
 * Reports an opened thread: started, resumed or forked. The request says which; without it, the thread's history does.
 */
export function opened(result: Json, thread: Json, request: Json | undefined, version: string | undefined): Signal[] {
  const id = asText(thread.id) ?? "";
  const method = asText(request?.method);
  const turns = asArray(thread.turns).length;
  const asked = method === "thread/fork" ? asText(asObject(request?.params)?.threadId) : undefined;
  const forkedFrom = asText(thread.forkedFromId) ?? asked;
  const resumed = forkedFrom === undefined && (method === "thread/resume" || (method === undefined && turns > 0));
  return [
    // A fork counts its turns from zero.
    { kind: "session", id, ...(resumed && { resumed, priorTurns: turns }), ...omitUndefined({ forkedFrom, version }) },
    ...asTexts(result.instructionSources).map(agentdocRead),
  ];
}

/** The version in the response to `initialize`. A thread names only the version that made it, which may be an older one. */
export const versionIn = (result: Json | undefined): string | undefined =>
  /\/(\d[^\s/]*)/.exec(asText(result?.userAgent) ?? "")?.[1];
