import { completed, expectEvent, said } from "./expectations.ts";
import { answer, type Outcome, type Scenario, text } from "./scenario.ts";

/** Every agent has its own messages for these failures; the user receives one code and so one exit code. */
const failedWith = (outcome: Outcome, code: string): string[] =>
  outcome.result.error?.code === code
    ? []
    : [`It ended as ${outcome.result.exitReason} with ${outcome.result.error?.code ?? "no error"}, not ${code}.`];

const noSuchModel = {
  status: 404,
  message: "The model `no-such-model` does not exist or you do not have access to it.",
  code: "model_not_found",
};

export const failures: readonly Scenario[] = [
  {
    name: "no such session",
    options: { resume: "0199a0aa-1111-7222-8333-444455556666" },
    script: () => [answer(text("A new one."))],
    problems: (outcome) => failedWith(outcome, "SESSION_NOT_FOUND"),
  },
  {
    name: "no such model",
    options: { model: "no-such-model" },
    script: () => Array.from({ length: 12 }, () => noSuchModel),
    problems: (outcome) => failedWith(outcome, "VALIDATION_ERROR"),
  },
  {
    name: "not logged in",
    expects: "AUTH_ERROR",
    withoutKey: true,
    script: () => Array.from({ length: 12 }, () => ({ status: 401, message: "missing api key" })),
    problems: (outcome) => failedWith(outcome, "AUTH_ERROR"),
  },
  {
    name: "not allowed in",
    script: () => Array.from({ length: 12 }, () => ({ status: 401, message: "invalid api key" })),
    problems: (outcome) => [
      ...expectEvent(outcome, "auth_error", () => true, "an auth_error"),
      ...failedWith(outcome, "AUTH_ERROR"),
    ],
  },
  {
    name: "asked to slow down, then answered",
    script: () => [{ status: 429, message: "slow down", headers: { "retry-after": "1" } }, answer(text("At last."))],
    problems: (outcome) => [...completed(outcome), ...said(outcome, "At last.")],
  },
  {
    name: "overloaded, then answered",
    script: () => [{ status: 503, message: "overloaded" }, answer(text("At last."))],
    problems: (outcome) => [...completed(outcome), ...said(outcome, "At last.")],
  },
  {
    name: "out of turns",
    options: { maxTurns: 2 },
    script: (tools) => Array.from({ length: 6 }, (_, n) => answer(tools.shell(`echo ${n}`))),
    problems: (outcome) => [
      ...(outcome.result.exitReason === "turn_limit" ? [] : [`It ended as ${outcome.result.exitReason}.`]),
      ...expectEvent(outcome, "turn_limit", () => true, "a turn_limit"),
    ],
  },
  {
    name: "too long for the context",
    script: (tools) => Array.from({ length: 12 }, () => tools.overlong),
    problems: (outcome) => expectEvent(outcome, "context_exceeded", () => true, "a context_exceeded"),
  },
];
