import { describe, expect, it } from "vitest";
import { pi } from "../../../pi/index.ts";
import type { Signal } from "../../../signal.ts";

/** What is told of prompts and failures, by a process that is sent some frames and writes others. */
function told(...frames: { sent?: object; wrote?: object }[]): string[] {
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
  it("is done when the agent has settled, where it tells that", () => {
    const settled = { wrote: { type: "agent_settled" } };
    expect(told(prompt, start, call("stop"), ended({ willRetry: false }), prompt, settled)).toEqual([
      ...["prompt", "prompt", "promptDone"],
    ]);
  });

  it("is done when the process ends before it has settled", () => {
    expect(told(start, call("stop"), ended({ willRetry: false }))).toEqual(["prompt", "promptDone"]);
  });
});

describe("a prompt of an agent that does not tell whether it tries again", () => {
  it("is done at the end, unless the model call failed", () => {
    expect(told(start, call("stop"), ended(), prompt)).toEqual(["prompt", "promptDone", "prompt"]);
  });

  it("is done at the end where it was interrupted: that is not tried again", () => {
    expect(told(start, call("aborted"), ended(), prompt)).toEqual(["prompt", "interrupted", "promptDone", "prompt"]);
  });

  it("goes on with a retry", () => {
    const again = [retry, start, call("stop"), ended()];
    expect(told(start, call("error", "529"), ended(), ...again)).toEqual(["prompt", "error", "promptDone"]);
  });

  it("has failed when the next prompt comes", () => {
    expect(told(start, call("error", "529"), ended(), prompt, start)).toEqual([
      ...["prompt", "error", "promptDone", "prompt", "prompt", "crash"],
    ]);
  });
});
