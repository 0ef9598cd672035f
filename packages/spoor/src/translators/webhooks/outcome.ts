/** What came of an attempt: the status of an answer, or why there was none. */
export type Answer =
  | { status: number; retryAfter?: string }
  /** `connected` tells whether the receiver took the connection. */
  | { failure: string; connected: boolean };

/**
 * What follows from an attempt.
 *
 * - `delivered`: the receiver has the event.
 * - `gone`: the receiver wants nothing more.
 * - `out_of_reach`: nobody takes any event now. All runs wait together, and no event is given up for it.
 * - `busy`: the receiver, or a proxy before it, says so itself. It may also be this event that its proxy blames it for.
 * - `refused`: this event was not taken. Only its run waits, because other events may well be taken.
 */
export interface Outcome {
  kind: "delivered" | "gone" | "out_of_reach" | "busy" | "refused";
  /** What happened, as the end of a sentence about the receiver. */
  detail: string;
  /** How long the receiver asks us to wait, in milliseconds. */
  waitMs?: number;
}

export function outcomeOf(answer: Answer, now: number): Outcome {
  if ("failure" in answer)
    return answer.connected
      ? { kind: "refused", detail: `gave no answer: ${answer.failure}` }
      : { kind: "out_of_reach", detail: `cannot be reached: ${answer.failure}` };
  const { status, retryAfter } = answer;
  if (status >= 200 && status < 300) return { kind: "delivered", detail: `answered ${status}` };
  const waitMs = retryAfterMs(retryAfter, now);
  const wait = waitMs === undefined ? {} : { waitMs };
  const known = answers[status];
  if (known) return { kind: known[0], detail: `answered ${status} ${known[1]}`, ...wait };
  const isRedirect = status >= 300 && status < 400;
  return {
    kind: "refused",
    detail: `answered ${status}${isRedirect ? ", and redirects are not followed" : ""}`,
    ...wait,
  };
}

const answers: Readonly<Record<number, readonly [kind: Outcome["kind"], words: string]>> = {
  410: ["gone", "Gone"],
  429: ["busy", "Too Many Requests"],
  502: ["busy", "Bad Gateway"],
  503: ["busy", "Service Unavailable"],
  504: ["busy", "Gateway Timeout"],
};

/** Reads `Retry-After`: seconds, or a date. At most a day. */
function retryAfterMs(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d+$/.test(text.trim()) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, LONGEST_WAIT_MS) : undefined;
}

const LONGEST_WAIT_MS = 86_400_000;
