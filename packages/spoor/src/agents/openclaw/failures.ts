import { failureOf as failureInWords } from "../dialects/pi/failures.ts";
import type { Signal } from "../signal.ts";

export type Failure = Extract<Signal, { kind: "fail" }>["event"];

export const login =
  "Run `openclaw configure`, or set the provider's API key, such as ANTHROPIC_API_KEY. After a refused key wait a minute: it is put aside for that long.";

/** What a failed run means: by the reason it states for trying another model, else by its words. */
export function failureOf(message: string, reason?: string): Failure {
  const named = reason !== undefined && Object.hasOwn(reasons, reason) ? reasons[reason] : undefined;
  return named?.(message) ?? failureInWords(message, login);
}

const auth = (message: string): Failure => ({ type: "auth_error", message, guidance: login });

/** Reasons that say more than the words do; of the others the words are better. */
const reasons: Readonly<Record<string, (message: string) => Failure>> = {
  auth,
  auth_permanent: auth,
  context_overflow: (message) => {
    const event = failureInWords(message, login);
    return event.type === "context_exceeded" ? event : { type: "context_exceeded", usedTokens: 0, maxTokens: 0 };
  },
  rate_limit: (message) => ({ type: "rate_limit_error", message }),
};
