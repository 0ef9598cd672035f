import {
  authFailure,
  type Failure,
  type FailureRule,
  failureOf,
  failureOfExit,
  internalError,
  interrupted,
  matchFailure,
  rateLimitFailure,
  unknownSession,
} from "../kit/failures.ts";

export const login =
  "Set GEMINI_API_KEY, or run `gemini` and sign in with /auth. For Vertex AI set GOOGLE_CLOUD_PROJECT and log in with gcloud.";

/** The failure in a final frame. Its type is "unknown" for all errors of the model provider. */
export const resultFailure = (type: string | undefined, message: string): Failure =>
  matchFailure(rules, type, message, login) ?? failureOf(undefined, message, login);

/**
 * The failure of an exit without a final frame. An HTTP status as exit code is cut to eight bits. Gemini exits with 0
 * and without a final frame both when a signal stopped it and when it lost output because nobody read its pipe; only
 * the sender of the signal knows which it was.
 */
export function exitFailure(code: number | null, signal: string | null, stderr: string): Failure {
  const message = stderr.trim().split("\n").at(-1) || `Gemini ended with exit code ${code}.`;
  const known = signal || code === null ? undefined : matchFailure(rules, code, message, login);
  return known ?? failureOfExit(code, signal, stderr);
}

/** By error type or exit code. */
const rules: readonly FailureRule[] = [
  unknownSession,
  { codes: ["FatalAuthenticationError", 41, 145, 147], make: authFailure },
  { codes: [42], make: (message) => internalError(message, "VALIDATION_ERROR") },
  { codes: [52], make: (message) => internalError(message, "CONFIG_ERROR") },
  { codes: ["FatalTurnLimitedError", 53], make: () => ({ type: "turn_limit", maxTurns: 0 }) },
  { codes: ["FatalCancellationError", 130], make: () => interrupted },
  { codes: [173], make: rateLimitFailure },
];
