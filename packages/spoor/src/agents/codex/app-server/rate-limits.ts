import { noteOfFrame, rateLimited } from "../../kit/fact-signals.ts";
import { asObject, type Json } from "../../kit/json-values.ts";
import type { Signal } from "../../signal.ts";

/**
 * Notifications that belong to no thread: the account's limits, which come after every model call, and the server's
 * state.
 */
export function createLimits(): (method: string, params: Json) => Signal[] | undefined {
  let last = "";
  let isReached = false;
  return (method, params) => {
    // The frame also names the machine, which is left out.
    if (method === "remoteControl/status/changed") return [noteOfFrame({ method, status: params.status })];
    if (method !== "account/rateLimits/updated") return undefined;
    const reported = JSON.stringify(params);
    if (reported === last) return [];
    last = reported;
    const wasReached = isReached;
    isReached = typeof asObject(params.rateLimits)?.rateLimitReachedType === "string";
    return isReached && !wasReached ? [rateLimited()] : undefined;
  };
}
