import { describe, expect, it } from "vitest";
import { pi } from "../../../pi/index.ts";
import type { Signal } from "../../../signal.ts";

/** The prompts and failures that the machine reports for these frames. */
function reported(...frames: { sent?: object; wrote?: object }[]): string[] {
  const machine = pi.dialects[0]?.createMachine();
  const signals = frames.flatMap(({ sent, wrote }): readonly Signal[] =>
    sent ? (machine?.sent?.(sent) ?? []) : (machine?.line(JSON.stringify(wrote)) ?? []),
  );
  const exit = machine?.exit(0, null) ?? [];
  return [...signals, ...exit].flatMap((signal) => {
    if (signal.kind === "fail") return signal.event.type;
    return signal.kind === "prompt" || signal.kind === "promptDone" ? signal.kind : [];
  });
}

const prompt = { sent: { type: "prompt", message: "Go." } };
const start = { wrote: { type: "agent_start" } };
const ended = (more: object = {}) => ({ wrote: { type: "agent_end", messages: [], ...more } });
const call = (stopReason: string, errorMessage = "") => ({
  wrote: { type: "message_end", message: { role: "assistant", content: [], stopReason, errorMessage } },
});
const retry = { wrote: { type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 1, errorMessage: "529" } };

describe("a prompt", () => {
  it("is done when the agent reports that it has settled", () => {
    const settled = { wrote: { type: "agent_settled" } };
    expect(reported(prompt, start, call("stop"), ended({ willRetry: false }), prompt, settled)).toEqual([
      ...["prompt", "prompt", "promptDone"],
    ]);
  });

  it("is done when the process exits before the agent has settled", () => {
    expect(reported(start, call("stop"), ended({ willRetry: false }))).toEqual(["prompt", "promptDone"]);
  });
});

describe("a prompt of an agent that does not report whether it will retry", () => {
  it("is done when the agent ends, unless the model call failed", () => {
    expect(reported(start, call("stop"), ended(), prompt)).toEqual(["prompt", "promptDone", "prompt"]);
  });

  it("is done when the agent ends after an interruption, which is not retried", () => {
    expect(reported(start, call("aborted"), ended(), prompt)).toEqual([
      "prompt",
      "interrupted",
      "promptDone",
      "prompt",
    ]);
  });

  it("continues with a retry", () => {
    const again = [retry, start, call("stop"), ended()];
    expect(reported(start, call("error", "529"), ended(), ...again)).toEqual(["prompt", "error", "promptDone"]);
  });

  it("has failed if the next prompt comes instead of a retry", () => {
    expect(reported(start, call("error", "529"), ended(), prompt, start)).toEqual([
      ...["prompt", "error", "promptDone", "prompt", "prompt", "crash"],
    ]);
  });
});
