import { asArray, asObject, asText, type Json } from "../../json-machine.ts";
import type { Signal } from "../../signal.ts";
import type { Profile } from "./profile.ts";

export type Failure = Extract<Signal, { kind: "fail" }>["event"];

interface Kind {
  /** Tested on the words the frame has for machines. */
  code?: RegExp;
  /** Tested on the words it has for people. */
  message?: RegExp;
  failure(message: string, profile: Profile): Failure;
}

/** What a result, or an assistant line in place of one, says went wrong. */
export function failureOf(frame: Json, profile: Profile): Failure {
  const message = messageOf(frame);
  const status = frame.api_error_status ?? /API Error:? (\d{3})\b/.exec(message)?.[1];
  const { subtype, terminal_reason, error, api_error_type } = frame;
  const code = [subtype, terminal_reason, error, api_error_type, status].filter((word) => typeof word !== "object");
  const words = code.join(" ");
  const kind = kinds.find((known) => known.code?.test(words) || known.message?.test(message));
  return kind?.failure(message, profile) ?? { type: "error", code: "INTERNAL", message, recoverable: false };
}

function messageOf(frame: Json): string {
  const spoken = asArray(asObject(frame.message)?.content).map((block) => asText(asObject(block)?.text));
  const told = [frame.result, asObject(frame.error)?.message, ...asArray(frame.errors), ...spoken];
  return told.filter((text) => typeof text === "string" && text !== "").join("\n") || "The agent gave no reason.";
}

const kinds: readonly Kind[] = [
  { code: /aborted_/, message: /^Operation cancelled/, failure: () => ({ type: "interrupted" }) },
  {
    code: /error_max_turns/,
    failure: (message) => ({ type: "turn_limit", maxTurns: Number(/\((\d+)\)/.exec(message)?.[1] ?? 0) }),
  },
  {
    code: /error_max_budget/,
    failure: (message) => ({ type: "error", code: "ABORTED", message, recoverable: false }),
  },
  {
    code: /prompt_too_long/,
    message: /prompt is too long|maximum context length/i,
    failure: () => ({ type: "context_exceeded", usedTokens: 0, maxTokens: 0 }),
  },
  {
    code: /authentication|oauth|\b40[13]\b/,
    message: /^not logged in/i,
    failure: (message, { guidance }) => ({ type: "auth_error", message, guidance }),
  },
  { code: /rate_limit|\b429\b/, failure: (message) => ({ type: "rate_limit_error", message }) },
  {
    message: /no conversation found/i,
    failure: (message) => ({ type: "error", code: "SESSION_NOT_FOUND", message, recoverable: false }),
  },
];
