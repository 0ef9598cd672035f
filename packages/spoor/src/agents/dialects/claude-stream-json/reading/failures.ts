import {
  byLimit,
  byLogin,
  bySize,
  type Failure,
  failuresBy,
  internal,
  interrupted,
  unknownModel,
  unknownSession,
} from "../../../kit/failure.ts";
import { asArray, asObject, asTexts, type Json } from "../../../kit/json-machine.ts";
import { textOf } from "../../../kit/text.ts";

/** What a result, or an assistant line in place of one, says went wrong. `guidance` is for who is not let in. */
export function failureOf(frame: Json, guidance: string): Failure {
  const { subtype, terminal_reason, error, api_error_type, api_error_status, result, errors, message } = frame;
  const words = [result, asObject(error)?.message, ...asArray(errors), textOf(asObject(message)?.content, "\n")];
  const text = asTexts(words).join("\n") || "The agent gave no reason.";
  const status = api_error_status ?? /API Error:? (\d{3})\b/.exec(text)?.[1];
  const codes = [...asTexts([subtype, terminal_reason, error, api_error_type]), status].join(" ");
  return readFailure(codes, text, guidance);
}

/** Codes are the words that a frame has for machines. */
const readFailure = failuresBy([
  { codes: /aborted_/, words: /^Operation cancelled/, make: () => interrupted },
  { codes: /error_max_turns/, make: (message) => ({ type: "turn_limit", maxTurns: numberIn(message) }) },
  { codes: /error_max_budget/, make: (message) => internal(message, "ABORTED") },
  { codes: /prompt_too_long/, words: /prompt is too long|maximum context length/i, make: bySize },
  unknownModel,
  { codes: /authentication|oauth|\b40[13]\b/, words: /^not logged in|^missing api key/i, make: byLogin },
  { codes: /rate_limit|\b429\b/, make: byLimit },
  unknownSession,
]);

const numberIn = (message: string): number => Number(/\((\d+)\)/.exec(message)?.[1] ?? 0);
