import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inTurn, soFar, stream } from "../../testing/view/fold-script.ts";
import { utf8Length } from "../mapping/utf8.ts";
import { createRunFold, viewOf } from "./fold.ts";
import type { OutputPiece, ShellView } from "./types-work.ts";

const textOf = (pieces: readonly OutputPiece[]) => pieces.map(({ text }) => text).join("");

function shellOf(chunks: readonly string[], shellOutputLimit: number): ShellView {
  const pieces = chunks.map((data) => ["tool.shell.output_chunk", { stream: "stdout", data }] as const);
  return viewOf(stream(["tool.shell.command"], ...pieces), { shellOutputLimit }).shells[0] as ShellView;
}

describe("the output of a shell", () => {
  it("is kept completely up to the limit", () => {
    const shell = shellOf(["a".repeat(60), "b".repeat(40)], 100);
    expect(textOf(shell.head) + textOf(shell.tail)).toBe("a".repeat(60) + "b".repeat(40));
    expect(shell.omittedBytes).toBe(0);
  });

  it("keeps its beginning and end beyond the limit, and counts the omitted bytes", () => {
    const shell = shellOf(["start", ..."0123456789".repeat(100), "end"], 100);
    expect(textOf(shell.head).startsWith("start")).toBe(true);
    expect(textOf(shell.tail).endsWith("end")).toBe(true);
    expect(shell.stdoutBytes).toBe(1_008);
    expect(shell.headBytes + shell.omittedBytes + shell.tailBytes).toBe(1_008);
  });

  it("is bounded for any output, cut between characters, and counts its bytes correctly", () => {
    const chunk = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: "binary" }),
      fc.constant("é🦶\n".repeat(30)),
    );
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 60 }), fc.integer({ min: 0, max: 200 }), (chunks, limit) => {
        const all = chunks.join("");
        // A character split between two chunks would be counted twice, but writers never split characters.
        fc.pre(chunks.reduce((bytes, text) => bytes + utf8Length(text), 0) === utf8Length(all));
        const { head, headBytes, tail, tailBytes, omittedBytes, stdoutBytes } = shellOf(chunks, limit);
        expect(utf8Length(textOf(head))).toBe(headBytes);
        expect(utf8Length(textOf(tail))).toBe(tailBytes);
        expect(headBytes + tailBytes).toBeLessThanOrEqual(limit);
        expect(headBytes + omittedBytes + tailBytes).toBe(stdoutBytes);
        expect(all.startsWith(textOf(head))).toBe(true);
        expect(all.endsWith(textOf(tail))).toBe(true);
        if (utf8Length(all) <= limit) expect(omittedBytes).toBe(0);
      }),
      { numRuns: 1_000 },
    );
  });

  it("counts pieces that never arrived as omitted", () => {
    const view = viewOf(
      stream(["tool.shell.output_chunk", { tool_call_id: "c", stream: "stdout", data: "end", byte_offset: 500 }]),
    );
    expect(view.shells[0]).toMatchObject({
      omittedBytes: 500,
      stdoutBytes: 503,
      head: [],
      tail: [{ stream: "stdout", text: "end" }],
    });
  });

  it("is not stored a second time, without limit, as the output of its call", () => {
    const output = "x".repeat(300_000);
    const story = inTurn().tool({ id: "c1", name: "Bash", kind: "shell", input: { command: "yes" } });
    const envelopes = soFar(story.shell("c1", "yes", { stdout: output }).result("c1", "Bash", output));
    const call = viewOf(envelopes).tools[0];
    expect(call).not.toHaveProperty("output");
    expect(call?.outputOmittedBytes).toBe(300_000);
    expect(viewOf(envelopes, { shellOutputLimit: 1e6 }).tools[0]?.output).toBe(output);
  });
});

it("the oldest debug lines are dropped and counted", () => {
  const run = createRunFold();
  const lines = Array.from(
    { length: 2_500 },
    (_, index) => ["debug.log", { stream: "stderr", line: `${index}` }] as const,
  );
  for (const envelope of stream(...lines)) run.fold(envelope);
  const { debug, debugOmitted } = run.snapshot();
  expect(debug.length).toBeLessThanOrEqual(1_000);
  expect(debug[0]?.text).toBe(`${debugOmitted}`);
  expect(debug.at(-1)?.text).toBe("2499");
});
