import { byLimit, byLogin, type Failure, type FailureMaker, internal, interrupted } from "../../../failure.ts";
import { asArray, asObject, type Json } from "../../../json-machine.ts";
import { textOf } from "./results.ts";

/** What a result, or an assistant line in place of one, says went wrong. `guidance` is for who is not let in. */
export function failureOf(frame: Json, guidance: string): Failure {
  const message = messageOf(frame);
  const status = frame.api_error_status ?? /API Error:? (\d{3})\b/.exec(message)?.[1];
  const { subtype, terminal_reason, error, api_error_type } = frame;
  const code = [subtype, terminal_reason, error, api_error_type, status].filter((word) => typeof word !== "object");
  const words = code.join(" ");
  const kind = kinds.find((known) => known.code?.test(words) || known.message?.test(message));
  return kind?.failure(message, guidance) ?? internal(message);
}

function messageOf({ result, error, errors, message }: Json): string {
  const told = [result, asObject(error)?.message, ...asArray(errors), textOf(asObject(message)?.content)];
  return told.filter((text) => typeof text === "string" && text !== "").join("\n") || "The agent gave no reason.";
}

interface Kind {
  /** Tested on the words the frame has for machines. */
  code?: RegExp;
  /** Tested on the words it has for people. */
  message?: RegExp;
  failure: FailureMaker;
}

const turnLimit: FailureMaker = (message) => ({
  type: "turn_limit",
  maxTurns: Number(/\((\d+)\)/.exec(message)?.[1] ?? 0),
});

const contextExceeded: FailureMaker = () => ({ type: "context_exceeded", usedTokens: 0, maxTokens: 0 });

const kinds: readonly Kind[] = [
  { code: /aborted_/, message: /^Operation cancelled/, failure: () => interrupted },
  { code: /error_max_turns/, failure: turnLimit },
  { code: /error_max_budget/, failure: (message) => internal(message, "ABORTED") },
  { code: /prompt_too_long/, message: /prompt is too long|maximum context length/i, failure: contextExceeded },
  { code: /authentication|oauth|\b40[13]\b/, message: /^not logged in/i, failure: byLogin },
  { code: /rate_limit|\b429\b/, failure: byLimit },
  { message: /no conversation found/i, failure: (message) => internal(message, "SESSION_NOT_FOUND") },
];
