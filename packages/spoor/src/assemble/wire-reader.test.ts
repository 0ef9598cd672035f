import type { AgentEvent } from "@spoor/protocol";
import { describe, expect, it } from "vitest";
import { toy } from "../../testing/run/toy-adapter.ts";
import type { Dialect } from "../agents/machine.ts";
import type { Reading } from "./reading.ts";
import type { WireEntry } from "./wire-line.ts";
import { WireReader } from "./wire-reader.ts";
import type { WireReaderOptions } from "./wire-reader-options.ts";

const [dialect] = toy.dialects as [Dialect];
const create = (options: Partial<WireReaderOptions> = {}): WireReader =>
  new WireReader({ agent: "toy", dialect, stream: "auto", now: () => 1, random: () => 0.5, ...options });
const line = (frame: object): WireEntry => ({ from: "stdout", text: JSON.stringify(frame) });
const exit = (code: number): WireEntry => ({ from: "exit", code, signal: null });
const failures = new Set(["interrupted", "aborted", "timeout", "crash", "error", "rate_limit_error"]);
const failuresOf = (readings: readonly Reading[]): AgentEvent[] =>
  readings.flatMap(({ events }) => events).filter(({ type }) => failures.has(type));
const readAll = (reader: WireReader, entries: readonly WireEntry[]): Reading[] => [
  ...entries.map((entry) => reader.read(entry)),
  reader.finish(),
];

describe("the end of a run", () => {
  it("has the cause for which Spoor ended it, whatever the agent reports after that", () => {
    const reader = create();
    reader.read(line({ call: true }));
    reader.endBecause({ type: "timeout", kind: "run" });
    reader.endBecause({ type: "aborted" });
    const readings = readAll(reader, [line({ limit: 5 }), exit(9)]);
    expect(failuresOf(readings)).toMatchObject([{ type: "timeout", kind: "run" }]);
  });

  it("is a crash if the process exits in the middle of a prompt, but not if a recording stops there", () => {
    const entries = [line({ say: "x" }), exit(0)];
    expect(failuresOf(readAll(create(), entries))).toMatchObject([{ type: "crash", exitCode: 0 }]);
    expect(failuresOf(readAll(create({ isRecording: true }), entries))).toEqual([]);
    expect(failuresOf(readAll(create(), [line({ say: "x" })]))).toEqual([]);
  });

  it("is a crash if the process exits in the middle of a further prompt", () => {
    const reader = create();
    expect(reader.read(line({ done: "ok" })).prompt).toBe("done");
    reader.prompted();
    expect(failuresOf(readAll(reader, [exit(0)]))).toMatchObject([{ type: "crash" }]);
  });

  it("is an interruption only if somebody interrupted the agent", () => {
    const entries = [line({ done: "interrupted" }), exit(0)];
    expect(failuresOf(readAll(create(), entries))).toMatchObject([{ type: "error", code: "AGENT_CRASH" }]);
    const expected = create({ isInterruptionExpected: true });
    expect(failuresOf(readAll(expected, entries))).toMatchObject([{ type: "interrupted" }]);
  });

  it("is a crash with the reason if the process could not be started", () => {
    const readings = readAll(create(), [{ ...exit(0), error: "no such program" } as WireEntry]);
    expect(failuresOf(readings)).toMatchObject([{ type: "crash", exitCode: -1, stderr: "no such program" }]);
  });
});

describe("a retry", () => {
  it("is requested when the prompt or the process ends with a failure that is retried", () => {
    const reader = create({ isRetried: ({ type }, retries) => type === "rate_limit_error" && retries === 0 });
    reader.read(line({ limit: 5 }));
    expect(reader.read(line({ done: "ok" })).prompt).toBe("retried");
    reader.read(exit(0));
    expect(reader.failureToRetry).toMatchObject({ type: "rate_limit_error" });
    reader.retry({ type: "retry", attempt: 1, maxAttempts: 1, reason: "limit", delayMs: 0 });
    expect(reader.failureToRetry).toBeUndefined();
    expect(failuresOf(readAll(reader, [line({ limit: 5 }), line({ done: "ok" }), exit(0)]))).toHaveLength(1);
  });

  it("starts with an empty stderr tail", () => {
    const reader = create({ isRetried: (_, retries) => retries === 0 });
    reader.read({ from: "stderr", text: "first" });
    reader.read(exit(7));
    reader.retry({ type: "retry", attempt: 1, maxAttempts: 1, reason: "crash", delayMs: 0 });
    const readings = readAll(reader, [{ from: "stderr", text: "second" }, exit(7)]);
    expect(failuresOf(readings)).toMatchObject([{ type: "crash", stderr: "second\n" }]);
  });
});

it("measures long lines of standard output and standard error separately", () => {
  const reader = create();
  const piece = (from: "stdout" | "stderr", text: string, piece: "more" | "last") => reader.read({ from, text, piece });
  const readings = [
    piece("stdout", "aaa", "more"),
    piece("stderr", "bb", "more"),
    piece("stdout", "é", "last"),
    piece("stderr", "b", "last"),
  ];
  const messages = readings.flatMap(({ events }) =>
    events.map((event) => (event.type === "debug" ? event.message : "")),
  );
  expect(messages).toEqual([
    expect.stringMatching(/a line of 5 bytes to stdout.*begins with: aaa$/),
    expect.stringMatching(/a line of 3 bytes to stderr.*begins with: bb$/),
  ]);
});
