import { describe, expect, it } from "vitest";
import {
  authFailure,
  createFailureReader,
  failureOf,
  failureOfExit,
  interrupted,
  matchFailure,
  rateLimitFailure,
} from "./failures.ts";

const login = "Log in.";

describe("the failure of an error", () => {
  it.each([
    [401, "no", { type: "auth_error", message: "no", guidance: login }],
    [undefined, "Incorrect API key provided", { type: "auth_error" }],
    [429, "slow down", { type: "rate_limit_error", message: "slow down" }],
    [undefined, "The quota of this API key is used up", { type: "rate_limit_error" }],
    [undefined, "input token count (9) exceeds (8)", { type: "context_exceeded", usedTokens: 9, maxTokens: 8 }],
    // A general code does not take precedence over the message.
    [-32000, "the context window is full", { type: "context_exceeded", usedTokens: 0, maxTokens: 0 }],
    [-32002, "gone", { type: "error", code: "SESSION_NOT_FOUND", recoverable: false }],
    [-32800, "", { type: "interrupted" }],
    [500, "broken", { type: "error", code: "INTERNAL", message: "broken", recoverable: false }],
  ])("follows from code %s and message %j", (code, message, expected) => {
    expect(failureOf(code, message, login)).toMatchObject(expected);
  });

  it("is made by the first of the agent's rules that matches, or by none", () => {
    const rules = [
      { codes: ["auth", 41], make: authFailure },
      { codes: [42], pattern: /slow/, make: rateLimitFailure },
      { codes: /^aborted_/, make: () => interrupted },
    ];
    expect(matchFailure(rules, "auth", "slow", login)?.type).toBe("auth_error");
    expect(matchFailure(rules, undefined, "slow", login)?.type).toBe("rate_limit_error");
    expect(matchFailure(rules, 42, "", login)?.type).toBe("rate_limit_error");
    expect(matchFailure(rules, "aborted_streaming", "", login)?.type).toBe("interrupted");
    expect(matchFailure(rules, "constructor", "", login)).toBeUndefined();
    expect(createFailureReader(rules)("constructor", "why", login)).toMatchObject({ code: "INTERNAL", message: "why" });
  });
});

describe("the failure of a process that exited without a report", () => {
  it.each([
    [null, "SIGINT", { type: "interrupted" }],
    [null, "SIGKILL", { type: "crash", exitCode: -1, stderr: "why" }],
    [3, null, { type: "crash", exitCode: 3, stderr: "why" }],
    [0, null, { type: "crash", exitCode: 0, stderr: "why" }],
  ])("with code %s and signal %s", (code, signal, expected) => {
    expect(failureOfExit(code, signal, "why")).toEqual(expected);
  });
});
