import { textOfContent } from "../../../kit/content-text.ts";
import {
  authFailure,
  contextFailure,
  createFailureReader,
  type Failure,
  internalError,
  interrupted,
  rateLimitFailure,
  unknownModel,
  unknownSession,
} from "../../../kit/failures.ts";
import { asArray, asObject, asTexts, type Json } from "../../../kit/json-values.ts";

/** The failure in a result, or in an assistant line that replaces one. `guidance` tells the user how to log in. */
export function failureOf(frame: Json, guidance: string): Failure {
  const { subtype, terminal_reason, error, api_error_type, api_error_status, result, errors, message } = frame;
  const words = [result, asObject(error)?.message, ...asArray(errors), textOfContent(asObject(message)?.content, "\n")];
  const text = asTexts(words).join("\n") || "The agent gave no reason.";
  const status = api_error_status ?? /API Error:? (\d{3})\b/.exec(text)?.[1];
  const codes = [...asTexts([subtype, terminal_reason, error, api_error_type]), status].join(" ");
  return readFailure(codes, text, guidance);
}

/** `codes` joins the machine-readable fields of a frame. */
const readFailure = createFailureReader([
  { codes: /aborted_/, pattern: /^Operation cancelled/, make: () => interrupted },
  { codes: /error_max_turns/, make: (message) => ({ type: "turn_limit", maxTurns: numberIn(message) }) },
  { codes: /error_max_budget/, make: (message) => internalError(message, "ABORTED") },
  { codes: /prompt_too_long/, pattern: /prompt is too long|maximum context length/i, make: contextFailure },
  unknownModel,
  { codes: /authentication|oauth|\b40[13]\b/, pattern: /^not logged in|^missing api key/i, make: authFailure },
  { codes: /rate_limit|\b429\b/, make: rateLimitFailure },
  unknownSession,
]);

const numberIn = (message: string): number => Number(/\((\d+)\)/.exec(message)?.[1] ?? 0);
