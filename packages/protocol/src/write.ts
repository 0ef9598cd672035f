/** Everything needed to write envelopes, without the schemas, for programs that must start fast. */
export {
  asErrorCode,
  createFailureTracker,
  type ExitReason,
  exitReasons,
  type FailureCode,
  type FailureFacts,
  incompleteRun,
  isErrorCode,
  isRetriable,
  lostRun,
  type RunFailure,
  retriableErrorCodes,
  runFailureOf,
} from "./agent-events/failures.ts";
export {
  type DeltaEvent,
  isDelta,
  type Span,
  type SpanName,
  type SpanRole,
  spanKeyOf,
  spanRoleOf,
  spans,
  textKeyOf,
} from "./agent-events/spans.ts";
export { isTerminalEvent } from "./agent-events/terminal.ts";
export { isReservedType } from "./envelope/groups.ts";
export { isTerminalRunType } from "./envelope/terminal.ts";
export { SCHEMA_VERSION } from "./envelope/version.ts";
export { countDiff, type DiffLine, diffLinesOf, type LineCounts } from "./mapping/diff-lines.ts";
export { createEncoder, type Encoder, type EncoderOptions, type TextDraft } from "./mapping/encode.ts";
export { createOutcomeTracker, type Outcome, outcomeOf } from "./mapping/outcome.ts";
export { outputTextOf } from "./mapping/output-text.ts";
export { todosOf } from "./mapping/todos.ts";
export { createEnvelopeWriter, instant, type RunIds, type Writable } from "./mapping/write.ts";
export { writtenLines } from "./mapping/written-lines.ts";
