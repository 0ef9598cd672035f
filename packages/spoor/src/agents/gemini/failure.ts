import { failureOf } from "../dialects/acp/failure.ts";
import type { Signal } from "../signal.ts";

type Failure = Extract<Signal, { kind: "fail" }>["event"];

export const login =
  "Set GEMINI_API_KEY, or run `gemini` and sign in with /auth. For Vertex AI set GOOGLE_CLOUD_PROJECT and log in with gcloud.";

/** What the error of a final frame means: its type is "unknown" for all that the service says. */
export function resultFailure(type: string | undefined, message: string): Failure {
  if (type === "FatalTurnLimitedError") return { type: "turn_limit", maxTurns: 0 };
  if (type === "FatalCancellationError") return { type: "interrupted" };
  if (type === "FatalAuthenticationError") return { type: "auth_error", message, guidance: login };
  return failureOf(undefined, message, login);
}

/**
 * What the process's end means where no final frame told it. Stopped by a signal, Gemini exits with 0 and says
 * nothing; an HTTP status it exits with is cut to eight bits.
 */
export function exitFailure(code: number | null, signal: string | null, hasBegun: boolean, stderr: string): Failure {
  if (signal === "SIGINT" || (hasBegun && code === 0 && !signal)) return { type: "interrupted" };
  const message = stderr.trim().split("\n").at(-1) || `Gemini ended with exit code ${code}.`;
  if (!signal && code !== null && exits[code]) return exits[code](message);
  return { type: "crash", exitCode: code || -1, stderr };
}

const auth = (message: string): Failure => ({ type: "auth_error", message, guidance: login });
const refused = (code: "VALIDATION_ERROR" | "CONFIG_ERROR") => (message: string) =>
  ({ type: "error", code, message, recoverable: false }) as const;

const exits: Readonly<Record<number, (message: string) => Failure>> = {
  41: auth,
  42: refused("VALIDATION_ERROR"),
  52: refused("CONFIG_ERROR"),
  53: () => ({ type: "turn_limit", maxTurns: 0 }),
  130: () => ({ type: "interrupted" }),
  145: auth,
  147: auth,
  173: (message) => ({ type: "rate_limit_error", message }),
};
