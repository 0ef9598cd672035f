export * from "./agent-name.ts";
export { BaseEvent } from "./base.ts";
export * from "./catalog.ts";
export * from "./control.ts";
export * from "./cost.ts";
export * from "./cost-record.ts";
export * from "./debug.ts";
export * from "./error.ts";
export * from "./error-code.ts";
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
} from "./failures.ts";
export * from "./file.ts";
export * from "./guards.ts";
export * from "./interaction.ts";
export * from "./limit.ts";
export * from "./mcp.ts";
export * from "./multimodal.ts";
export * from "./plugin.ts";
export * from "./session.ts";
export * from "./shell.ts";
export * from "./skill.ts";
export {
  type DeltaEvent,
  isDelta,
  type Span,
  type SpanName,
  type SpanRole,
  type SpanText,
  spanKeyOf,
  spanRoleOf,
  spans,
  textKeyOf,
} from "./spans.ts";
export * from "./subagent.ts";
export * from "./text.ts";
export * from "./thinking.ts";
export * from "./tool.ts";
export * from "./turn.ts";
