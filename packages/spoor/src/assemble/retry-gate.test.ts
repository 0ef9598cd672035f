import { createStreamChecker } from "@spoor/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anySignal } from "../../testing/run/arbitrary-signal.ts";
import { assemble, typesOf } from "../../testing/run/assemble.ts";
import type { Failure } from "../agents/kit/failures.ts";
import type { Signal } from "../agents/signal.ts";
import { type IsRetried, RetryGate } from "./retry-gate.ts";

const retried = new Set<Failure["type"]>(["crash", "rate_limit_error"]);
const isRetried: IsRetried = ({ type }, retries) => retried.has(type) && retries < 3;

/** Returns the signals that pass the gate in several attempts. Each attempt begins if the one before is retried. */
function passed(attempts: readonly (readonly Signal[])[]): Signal[] {
  const gate = new RetryGate(isRetried);
  const out: Signal[] = [];
  for (const signals of attempts) {
    for (const signal of signals) out.push(...gate.pass([signal]));
    const failure = gate.held;
    if (!failure) break;
    gate.nextAttempt();
    const fact = { type: "retry", attempt: gate.retries, maxAttempts: 3, reason: failure.type, delayMs: 0 } as const;
    out.push({ kind: "fact", fact });
  }
  return out;
}

const crash: Signal = { kind: "fail", event: { type: "crash", exitCode: 1, stderr: "" } };
const limit: Signal = { kind: "fail", event: { type: "rate_limit_error", message: "429" } };
const attemptOf = (id: string): Signal[] => [
  { kind: "session", id },
  { kind: "startup", fact: { type: "agentdoc_read", path: "A.md" } },
  { kind: "call" },
  { kind: "text", key: "m1", delta: "Hello" },
  { kind: "textDone", key: "m1", text: "Hello" },
];

describe("several attempts", () => {
  it("are one run: one session, one report of what was loaded, and separate ids", () => {
    const attempts = [[...attemptOf("one"), crash], [...attemptOf("two"), { kind: "session", id: "two" }] as Signal[]];
    const message = ["message_start", "text_delta", "message_stop"];
    expect(typesOf(passed(attempts)).filter((type) => type !== "debug")).toEqual([
      ...["agentdoc_read", "turn_start", ...message, "retry", "turn_end"],
      ...["turn_start", ...message, "turn_end"],
    ]);
  });

  it("are not caused by a failure after which the model works", () => {
    const gate = new RetryGate(isRetried);
    const types = gate.pass([limit, ...attemptOf("one")]).map(({ kind }) => kind);
    expect(gate.held).toBeUndefined();
    // The failure passes right before the first signal of the model.
    expect(types).toEqual(["session", "startup", "fail", "call", "text", "textDone"]);
  });

  it("keep the contract for any signals", () => {
    fc.assert(
      fc.property(fc.array(fc.array(anySignal, { maxLength: 30 }), { maxLength: 4 }), (attempts) => {
        const checker = createStreamChecker();
        const events = assemble(passed(attempts.map((signals) => [...signals, crash])));
        const findings = [...events.flatMap((event) => checker.add(event)), ...checker.end()];
        expect(findings.filter(({ finding }) => finding.kind === "violation")).toEqual([]);
      }),
    );
  });
});
