import { failureOf } from "../dialects/acp/failure.ts";
import { asNumber, asObject, asText, type Json } from "../json-machine.ts";
import type { Signal } from "../signal.ts";

type Failure = Extract<Signal, { kind: "fail" }>["event"];

export const login = "Run `opencode auth login`, or set the key of the model's provider, such as ANTHROPIC_API_KEY.";

/** What an error of a message or a session means: by its name, else by the status and words of the model's service. */
export function errorFailure(error: Json): Failure {
  const name = asText(error.name) ?? "";
  const data = asObject(error.data) ?? {};
  const message = asText(data.message) || name || "The model call failed.";
  const known = Object.hasOwn(byName, name) ? byName[name]?.(message) : undefined;
  return known ?? failureOf(asNumber(data.statusCode), message, login);
}

const byName: Readonly<Record<string, (message: string) => Failure>> = {
  ContextOverflowError: (message) => {
    const [maxTokens = 0, usedTokens = 0] = (message.match(/\d{4,}/g) ?? []).map(Number);
    return { type: "context_exceeded", usedTokens, maxTokens };
  },
  MessageAbortedError: () => ({ type: "interrupted" }),
  ProviderAuthError: (message) => ({ type: "auth_error", message, guidance: login }),
};

/** What the process's end means where no frame told a failure. */
export function exitFailure(code: number | null, signal: string | null, stderr: string): Failure {
  if (signal === "SIGINT" || code === 130) return { type: "interrupted" };
  const said = /Error: (.*(?:not found|invalid).*)/i.exec(plain(stderr))?.[1];
  if (said && !signal) {
    const isSession = /session/i.test(said);
    return { type: "error", code: isSession ? "SESSION_NOT_FOUND" : "CONFIG_ERROR", message: said, recoverable: false };
  }
  return { type: "crash", exitCode: signal ? -1 : code || -1, stderr };
}

/** Without the colours, which it prints to files too. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of
const plain = (text: string): string => text.replaceAll(/\u001b\[[\d;]*m/g, "");

export type ToolFailure = "failed" | "cancelled" | "timed_out" | "blocked";

/** How a call failed, by the words it failed with. */
export const outcomeOf = (error: string): ToolFailure => outcomes.find(([words]) => words.test(error))?.[1] ?? "failed";

const outcomes: readonly (readonly [RegExp, ToolFailure])[] = [
  [/^The user rejected permission|^The user has specified a rule which prevents/, "blocked"],
  [/^Tool execution aborted|User aborted the command/, "cancelled"],
  [/exceed\w* timeout|timed out/, "timed_out"],
];

/** What is said after the output of a command that did not end by itself, though it counts as completed. */
export const remarkOf = (output: string): string | undefined =>
  /<shell_metadata>\s*([\s\S]*?)\s*(?:<\/shell_metadata>)?\s*$/.exec(output)?.[1];
