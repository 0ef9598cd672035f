import type { AgentEvent } from "@spoor/protocol";
import { expect, it } from "vitest";
import { Calls } from "./calls.ts";
import { newFacts } from "./facts.ts";

/** The calls that are over after these events of one run. */
function ended(events: readonly Record<string, unknown>[]) {
  const calls = new Calls(newFacts(), true);
  for (const event of events)
    calls.add({ runId: "r", toolCallId: "c", toolName: "Bash", ...event } as never as AgentEvent);
  return calls.take(true).others;
}

const ready = { type: "tool_call_ready", toolKind: "shell", input: { command: "rm a" }, timestamp: 1_000 };
const result = { type: "tool_result", output: "", durationMs: 60_500, timestamp: 61_500 };

it("takes the time of a call from the agent", () => {
  expect(ended([ready, result])[0]?.end?.ms).toBe(60_500);
});

it("does not count the time in which a call waited for a person", () => {
  const asked = { type: "approval_request", interactionId: "q", timestamp: 1_001 };
  const granted = { type: "approval_granted", interactionId: "q", timestamp: 61_000 };
  expect(ended([ready, asked, granted, result])[0]?.end?.ms).toBe(500);
});
