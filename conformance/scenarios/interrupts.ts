import type { Run } from "../../packages/spoor/src/run/run.ts";
import { completed, expectCount, expectEvent } from "./expectations.ts";
import { answer, type Scenario, text } from "./scenario.ts";

export const interrupts: readonly Scenario[] = [
  {
    name: "interrupted in a command",
    script: (tools) => [answer(tools.shell("tail -f /dev/null")), answer(text("Done."))],
    act: interruptLater,
    problems: (outcome) => [
      ...(outcome.result.exitReason === "interrupted" ? [] : [`It ended as ${outcome.result.exitReason}.`]),
      ...expectCount(outcome, "tool_error", 1),
    ],
  },
  {
    name: "interrupted in mid-text",
    script: () => [{ blocks: [text("word ".repeat(400), 400)], pauseMs: 20 }],
    act: (handle) => void handle.once("text_delta", () => handle.interrupt()),
    problems: (outcome) => [
      ...(outcome.result.exitReason === "interrupted" ? [] : [`It ended as ${outcome.result.exitReason}.`]),
      ...expectEvent(outcome, "interrupted", () => true, "an interrupted event"),
    ],
  },
  {
    name: "paused, then gone on with",
    // An agent that mistakes the pause for a broken connection asks again.
    script: () => Array.from({ length: 3 }, () => ({ blocks: [text("word ".repeat(60), 60)], pauseMs: 20 })),
    act: (handle) =>
      void handle.once("message_start", () => {
        handle.pause();
        setTimeout(() => handle.unpause(), 800);
      }),
    problems: (outcome) => [
      ...completed(outcome),
      ...expectCount(outcome, "paused", 1),
      ...expectCount(outcome, "resumed", 1),
    ],
  },
  {
    name: "ended in a command",
    script: (tools) => [answer(tools.shell("tail -f /dev/null")), answer(text("Done."))],
    act: (handle) => void handle.once("tool_call_ready", () => setTimeout(() => handle.abort(), 800)),
    problems: (outcome) => [
      ...(outcome.result.exitReason === "aborted" ? [] : [`It ended as ${outcome.result.exitReason}.`]),
      ...expectEvent(outcome, "aborted", () => true, "an aborted event"),
    ],
  },
  {
    name: "out of time",
    // Long enough for the slowest agent to start.
    options: { timeout: 15_000 },
    script: () => [{ blocks: [text("word ".repeat(90), 90)], pauseMs: 1000 }],
    problems: (outcome) => [
      ...(outcome.result.exitReason === "timeout" ? [] : [`It ended as ${outcome.result.exitReason}.`]),
      ...expectEvent(outcome, "timeout", () => true, "a timeout"),
    ],
  },
];

/** Once the command runs, unless the run has ended by then. */
function interruptLater(handle: Run): void {
  const interrupt = () => !handle.isEnded && handle.interrupt();
  handle.once("tool_call_ready", () => setTimeout(interrupt, 1500));
}
