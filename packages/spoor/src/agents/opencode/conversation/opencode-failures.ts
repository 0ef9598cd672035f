import {
  authFailure,
  type Failure,
  type FailureRule,
  failureOf,
  failureOfExit,
  internalError,
  interrupted,
  matchFailure,
} from "../../kit/failures.ts";
import { asNumber, asObject, asText, type Json } from "../../kit/json-values.ts";
import { outcomeByText, type ToolOutcome } from "../../kit/tool-calls.ts";

export const login = "Run `opencode auth login`, or set the key of the model's provider, such as ANTHROPIC_API_KEY.";

/** The failure of a message or a session: by the error's name, or else by the provider's status and message. */
export function errorFailure(error: Json): Failure {
  const name = asText(error.name) ?? "";
  const data = asObject(error.data) ?? {};
  const message = asText(data.message) || name || "The model call failed.";
  return matchFailure(named, name, message, login) ?? failureOf(asNumber(data.statusCode), message, login);
}

const named: readonly FailureRule[] = [
  {
    codes: ["ContextOverflowError"],
    make: (message) => {
      const [maxTokens = 0, usedTokens = 0] = (message.match(/\d{4,}/g) ?? []).map(Number);
      return { type: "context_exceeded", usedTokens, maxTokens };
    },
  },
  { codes: ["MessageAbortedError"], make: () => interrupted },
  { codes: ["ProviderAuthError"], make: authFailure },
];

/** The failure of an exit after which no frame reported one. */
export function exitFailure(code: number | null, signal: string | null, stderr: string): Failure {
  if (code === 130) return interrupted;
  const said = signal ? undefined : /Error: (.*(?:not found|invalid).*)/i.exec(plain(stderr))?.[1];
  if (said) return internalError(said, /session/i.test(said) ? "SESSION_NOT_FOUND" : "CONFIG_ERROR");
  return failureOfExit(code, signal, stderr);
}

/** Removes colours, which it also prints to files. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of
const plain = (text: string): string => text.replaceAll(/\u001b\[[\d;]*m/g, "");

/** How a call failed, by its error text. */
export const outcomeOf = (error: string): ToolOutcome => outcomeByText(outcomes, error);

/**
 * Whether the user refused a call, after which the agent stops. If a rule refused it, the agent tells the model and continues.
 */
export const isRejected = (error: string): boolean => /^The user rejected permission/.test(error);

const outcomes = [
  [/^The user rejected permission|^The user has specified a rule which prevents/, "blocked"],
  [/^Tool execution aborted|User aborted the command/, "cancelled"],
  [/exceed\w* timeout|timed out/, "timed_out"],
] as const;

/** The remark after the output of a command that was stopped but is reported as completed. */
export const remarkOf = (output: string): string | undefined =>
  /<shell_metadata>\s*([\s\S]*?)\s*(?:<\/shell_metadata>)?\s*$/.exec(output)?.[1];
