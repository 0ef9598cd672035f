import { describe, expect, it } from "vitest";
import { Script } from "../../testing/script.ts";
import { type AgentEvent, agentEventCategories } from "./catalog.ts";
import { ErrorCode } from "./error-code.ts";
import { createFailureTracker, isErrorCode, isFailure, runFailureOf } from "./failures.ts";

const messageOf = (...event: Parameters<typeof runFailureOf>): string => runFailureOf(...event).message;
const crash = (exitCode: number, stderr: string) => runFailureOf({ type: "crash", exitCode, stderr });

it("has a row for every event that can end a run, and for no other", () => {
  const types = Object.values(agentEventCategories).flatMap(({ events }) => events.map(({ properties }) => properties));
  const failures = types
    .map(({ type }) => type.const)
    .filter((type) => isFailure({ type, recoverable: false } as AgentEvent));
  expect(failures).toEqual([
    ...["interrupted", "aborted", "timeout", "turn_limit"],
    ...["auth_error", "rate_limit_error", "context_exceeded", "crash", "error"],
  ]);
});

it("has a row for every error code", () => {
  for (const { const: code } of ErrorCode.anyOf) expect(isErrorCode(code)).toBe(true);
});

it("the two timeouts have different codes", () => {
  expect(runFailureOf({ type: "timeout", kind: "run" }).code).toBe("TIMEOUT");
  expect(runFailureOf({ type: "timeout", kind: "inactivity" }).code).toBe("INACTIVITY_TIMEOUT");
});

it("a number that is unknown is left out of the sentence", () => {
  expect(messageOf({ type: "turn_limit", maxTurns: 0 })).toBe("The turn limit was reached.");
  expect(messageOf({ type: "turn_limit", maxTurns: 1 })).toBe("The limit of 1 turn was reached.");
  expect(messageOf({ type: "turn_limit", maxTurns: 2 })).toBe("The limit of 2 turns was reached.");
  expect(messageOf({ type: "context_exceeded", usedTokens: 0, maxTokens: 0 })).toBe("The context window is full.");
  expect(messageOf({ type: "context_exceeded", usedTokens: 9, maxTokens: 8 })).toBe(
    "The context window is full: 9 of 8 tokens.",
  );
});

describe("a crash", () => {
  it("names the exit code, and gives the last output as detail", () => {
    expect(crash(137, "Killed\n")).toMatchObject({
      message: "The agent's process ended with code 137.",
      detail: "The agent's last output on stderr was:\nKilled",
    });
  });

  it("without an exit code gives the last line of the output as the reason", () => {
    const reason = 'Cannot start "claude": no program of this name is on PATH.';
    expect(crash(-1, reason)).toEqual({
      ...{ code: "AGENT_CRASH", exitReason: "crashed" },
      message: `The agent's process failed: ${reason}`,
    });
    expect(crash(-1, "one\ntwo\n\n")).toMatchObject({
      message: "The agent's process failed: two",
      detail: "The agent's last output on stderr was:\none\ntwo",
    });
    expect(crash(-1, " \n").message).toBe("The agent's process ended before it was done.");
  });

  it("with exit code 0 says that the output was cut", () => {
    expect(crash(0, "").message).toMatch(/^The agent's output was cut: /);
  });
});

describe("the failure of a run", () => {
  const failureOf = (tell: (script: Script) => unknown) => {
    const script = new Script().begin();
    tell(script);
    const tracker = createFailureTracker();
    for (const event of script.end().events) tracker.add(event);
    return tracker.failure()?.code;
  };

  it("is undefined for a run that recovered from its errors", () => {
    const error = { code: "PARSE_ERROR", message: "A line could not be read.", recoverable: true } as const;
    expect(failureOf((script) => script.emit("error", error))).toBeUndefined();
  });

  it("is the rate limit only when no retry follows", () => {
    const retry = { attempt: 1, maxAttempts: 3, reason: "Slow down.", delayMs: 0 };
    const limited = (script: Script) => script.emit("rate_limit_error", { message: "Slow down." });
    expect(failureOf(limited)).toBe("RATE_LIMITED");
    expect(failureOf((script) => limited(script).emit("retry", retry))).toBeUndefined();
  });
});
