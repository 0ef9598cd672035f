import { completed, expectEvent, said } from "./expectations.ts";
import { answer, type Scenario, text } from "./scenario.ts";

export const failures: readonly Scenario[] = [
  {
    name: "not allowed in",
    script: () => Array.from({ length: 12 }, () => ({ status: 401, message: "invalid api key" })),
    problems: (outcome) => expectEvent(outcome, "auth_error", () => true, "an auth_error"),
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
