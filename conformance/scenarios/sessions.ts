import { completed, expectEvent, said } from "./expectations.ts";
import { answer, type Scenario, text } from "./scenario.ts";

export const sessions: readonly Scenario[] = [
  {
    name: "resumed",
    after: "resume",
    script: (tools) => [answer(tools.shell("echo one")), answer(text("Noted.")), answer(text("I remember."))],
    problems: (outcome) => [
      ...completed(outcome),
      ...(outcome.asked.includes("Noted.") ? [] : ["The model did not receive the earlier conversation."]),
      ...said(outcome, "I remember."),
      ...expectEvent(outcome, "session_start", ({ resumed }) => resumed, "a session that is resumed"),
      ...expectEvent(outcome, "session_resume", ({ priorTurnCount }) => priorTurnCount === 2, "two turns before it"),
      ...expectEvent(outcome, "session_end", ({ turnCount }) => turnCount === 3, "three turns in all"),
    ],
  },
  {
    name: "forked",
    after: "fork",
    script: () => [answer(text("Noted.")), answer(text("I remember too."))],
    problems: (outcome) => [
      ...completed(outcome),
      ...(outcome.asked.includes("Noted.") ? [] : ["The model did not receive the earlier conversation."]),
      ...said(outcome, "I remember too."),
      ...expectEvent(
        outcome,
        "session_fork",
        ({ sessionId, forkedFrom }) => forkedFrom === outcome.earlier && sessionId !== forkedFrom,
        "a session that is a copy of the earlier one",
      ),
    ],
  },
];
