import fc from "fast-check";
import type { AgentEvent } from "../src/agent-events/catalog.ts";
import { simulate } from "./simulate/simulate.ts";

/** Any text, including lone surrogates and control characters. */
const anyText = fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }), fc.constant("\ud800"));

/** A valid stream of one run. */
export const validStream = (maxLength = 300): fc.Arbitrary<AgentEvent[]> =>
  fc
    .tuple(fc.array(fc.nat(1_000_000), { maxLength, size: "max" }), fc.array(anyText, { minLength: 1, maxLength: 6 }))
    .map(([tape, texts]) => simulate(tape, texts));
