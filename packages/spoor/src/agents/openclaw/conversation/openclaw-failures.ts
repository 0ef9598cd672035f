import { failureOf as failureInWords } from "../../dialects/pi/results/pi-failures.ts";
import {
  authFailure,
  contextFailure,
  type Failure,
  type FailureRule,
  matchFailure,
  rateLimitFailure,
} from "../../kit/failures.ts";

export const login =
  "Run `openclaw configure`, or set the provider's API key, such as ANTHROPIC_API_KEY. After a refused key wait a minute: it is put aside for that long.";

/** The failure of a run: by the reason that it states for trying another model, or else by its message. */
export const failureOf = (message: string, reason?: string): Failure =>
  matchFailure(reasons, reason, message, login) ?? failureInWords(message, login);

/** Reasons that are more precise than the message. */
const reasons: readonly FailureRule[] = [
  { codes: ["auth", "auth_permanent"], make: authFailure },
  { codes: ["rate_limit"], make: rateLimitFailure },
  {
    codes: ["context_overflow"],
    make: (message) => {
      const event = failureInWords(message, login);
      return event.type === "context_exceeded" ? event : contextFailure(message, login);
    },
  },
];
