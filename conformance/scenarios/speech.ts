import { completed, expectAtLeast, expectEvent, said } from "./expectations.ts";
import { answer, type Scenario, text } from "./scenario.ts";

/** The words differ because some agents stop a model that repeats itself. */
const manyWords = Array.from({ length: 3000 }, (_, n) => `w${n}`).join(" ");

export const speech: readonly Scenario[] = [
  {
    name: "text",
    script: () => [answer(text("Hello from the script."))],
    problems: (outcome) => [...completed(outcome), ...said(outcome, "Hello from the script.")],
  },
  {
    name: "long answer",
    script: () => [answer(text(manyWords, 3000))],
    problems: (outcome) => [
      ...completed(outcome),
      ...said(outcome, manyWords),
      ...expectAtLeast(outcome, "text_delta", 1000),
    ],
  },
  {
    name: "thinking",
    script: () => [answer({ type: "thinking", text: "Let me see.", deltas: 3 }, text("I see."))],
    problems: (outcome) => [
      ...completed(outcome),
      ...expectEvent(outcome, "thinking_stop", ({ thinking }) => thinking.includes("Let me see."), "the thought"),
    ],
  },
];
