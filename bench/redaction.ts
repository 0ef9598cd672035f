import { createRedactor } from "../packages/spoor/src/runtime/redaction/index.ts";
import { createLineRedactor } from "../packages/spoor/src/runtime/redaction/lines.ts";
import { type Case, defineCase } from "./measure.ts";
import { longRecording } from "./normalise.ts";

/** Measures the redaction of raw lines that contain no secret against a bare `JSON.parse` of the same lines. */
export function redactionCase(pieces: number): { file: string; floor: Case<unknown>; work: Case<unknown> } {
  const { file, lines } = longRecording("claude", pieces);
  const redactor = createRedactor();
  return {
    file,
    floor: defineCase(
      "JSON.parse of claude's lines",
      () => lines,
      (input) => {
        for (const line of input) JSON.parse(line);
      },
    ),
    work: defineCase(
      "redact claude's raw lines",
      () => lines,
      (input) => {
        const { push, flush } = createLineRedactor(redactor);
        for (const text of input) push({ at: 1, from: "stdout", text });
        return flush();
      },
    ),
  };
}
