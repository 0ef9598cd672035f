export { createDecoder, type Decoder, type DecoderState } from "./decode.ts";
export { countDiff, type DiffLine, diffLinesOf, type LineCounts } from "./diff-lines.ts";
export { createEncoder, type Draft, type Encoder, type EncoderOptions, type TextDraft } from "./encode.ts";
export { createOutcomeTracker, type Outcome, outcomeOf } from "./outcome.ts";
export { mappingTable, type Row as MappingRow } from "./table.ts";
export { createEnvelopeWriter, instant, type RunIds } from "./write.ts";
