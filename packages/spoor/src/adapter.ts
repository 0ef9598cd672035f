// `spoor/adapter`: the contract of an adapter, and the helpers that the built-in adapters are made of.
/// <reference types="node" preserve="true" />

export type * from "./agents/agent-about.ts";
export type { HostAction, HostExit, HostFact, HostFailure, HostOutcome, HostRequest } from "./agents/host.ts";
export { appendedText } from "./agents/kit/appended-text.ts";
export { textOfContent } from "./agents/kit/content-text.ts";
export { unifiedDiff } from "./agents/kit/diff.ts";
export {
  authFailure,
  contextFailure,
  crashFailure,
  createFailureReader,
  type Failure,
  type FailureMaker,
  type FailureRule,
  fail,
  failureOf,
  failureOfExit,
  internalError,
  interrupted,
  rateLimitFailure,
  startFailure,
  unknownModel,
  unknownSession,
} from "./agents/kit/failures.ts";
export { createdFile, movedFile, writtenFile } from "./agents/kit/file-facts.ts";
export { createJsonMachine, type FrameReader, frameReaders, type JsonFrameReader } from "./agents/kit/json-machine.ts";
export {
  asArray,
  asCount,
  asNumber,
  asObject,
  asObjects,
  asText,
  asTexts,
  type Json,
  parseObject,
} from "./agents/kit/json-values.ts";
export { omitUndefined, type WithoutUndefined } from "./agents/kit/omit-undefined.ts";
export { SessionTracker } from "./agents/kit/session-tracker.ts";
export { assignToSubagent } from "./agents/kit/subagent-signals.ts";
export {
  commandOfCall,
  outputSignals,
  readySignals,
  riskOf,
  type Tool,
  type ToolCall,
  type ToolKinds,
  toolByName,
  toolKindsByName,
} from "./agents/kit/tool-calls.ts";
export { type Amounts, amountsOf, costRecord, usageSignalsOf } from "./agents/kit/usage-amounts.ts";
export {
  type Ability,
  ADAPTER_CONTRACT_VERSION,
  type Adapter,
  type Answer,
  type Attachment,
  type Dialect,
  type Driver,
  type Frame,
  type Launch,
  type LaunchRequest,
  type LiveDialect,
  type Machine,
  type McpServer,
  type McpServerLimits,
  type RemoteMcpServer,
} from "./agents/machine.ts";
export type {
  SessionDatabase,
  SessionLog,
  SessionLogs,
  SessionMessage,
  SessionReader,
  SessionToolCall,
  SessionUsage,
} from "./agents/session-log.ts";
export type { Fact, FileFact, McpTool, PlainFact, Signal, SignalBody, TerminalType, ToolEnd } from "./agents/signal.ts";
