// `spoor`: run agents, record the runs, and read what was recorded. `spoor/server` serves a log, `spoor/log` and
// `spoor/runtime` have the rest of what is done with one, and `spoor/adapter` is for adapters of other agents.
//
// Projects without `types: ["node"]` get the types of Node that these declarations use.
/// <reference types="node" preserve="true" />

export * from "@spoor/protocol";
export type * from "./agents/agent-about.ts";
export type {
  Ability,
  Adapter,
  AgentOptions,
  Answer,
  Attachment,
  Dialect,
  Driver,
  Frame,
  Launch,
  LaunchRequest,
  LiveDialect,
  Machine,
  McpServer,
  McpServerLimits,
  RemoteMcpServer,
} from "./agents/machine.ts";
export { adapters } from "./agents/registry.ts";
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
export type { HeldQuestion } from "./assemble/interactions.ts";
export type { RecordedExit } from "./assemble/parse.ts";
export { type ParseOptions, parse } from "./assemble/parse.ts";
export type { CallTokens } from "./assemble/prices.ts";
export type { EstimateMoment } from "./assemble/spending.ts";
export type { WireLine } from "./assemble/wire-line.ts";
export { type Client, type ClientOptions, createClient, type RunOptions } from "./client.ts";
export { type ErrorInfo, errorTable } from "./failures/error-table.ts";
export { CapabilityError, type Problem, SpoorError, ValidationError } from "./failures/errors.ts";
export type { AdapterRegistry } from "./inventory/adapter-registry.ts";
export type { AgentAbilities } from "./inventory/agent-controls.ts";
export type { AgentProvider, DescribedAgent } from "./inventory/agent-json.ts";
export { type Auth, createAuth } from "./inventory/auth/auth.ts";
export type { AuthSign, AuthState } from "./inventory/auth/auth-state.ts";
export { type Capabilities, capabilitiesOf } from "./inventory/capabilities.ts";
export { type Detected, type DetectOptions, detect } from "./inventory/detect.ts";
export type { DialectProof, SupportLevel } from "./inventory/dialect-proof.ts";
export type { LookupContext } from "./inventory/locate.ts";
export type { CatalogModel } from "./inventory/models/model-catalog.ts";
export type { ModelUsage } from "./inventory/models/model-cost.ts";
export { createModels, type Models } from "./inventory/models/models.ts";
export type { ModelCheck } from "./inventory/models/validate-model.ts";
export type { InstalledPlugin } from "./inventory/plugins/list-plugins.ts";
export { createPlugins, type Plugins } from "./inventory/plugins/plugins.ts";
export type { ExportFormat } from "./inventory/sessions/export-session.ts";
export type { SessionMatch } from "./inventory/sessions/search-session.ts";
export type { SessionFilters } from "./inventory/sessions/session-filters.ts";
export type { Session, SessionSummary } from "./inventory/sessions/session-summary.ts";
export { createSessions, type Sessions } from "./inventory/sessions/sessions.ts";
export type { CostFilters, CostGroup, TotalCost } from "./inventory/sessions/total-cost.ts";
export type { SessionChange, SessionWatchOptions } from "./inventory/sessions/watch-sessions.ts";
export type { SettingsProblem } from "./inventory/settings/check-fields.ts";
export type { SettingsLockOptions } from "./inventory/settings/file-lock.ts";
export type { ConfiguredMcpServer, NewMcpServer } from "./inventory/settings/mcp-servers.ts";
export {
  createSettings,
  type Settings,
  type SettingsOptions,
  type SettingsPath,
  type SettingsScopeOptions,
} from "./inventory/settings/settings.ts";
export type { SettingsValues } from "./inventory/settings/settings-format.ts";
export { followEnvelopes, readEnvelopes } from "./log/envelopes.ts";
export { LogError, type LogErrorCode } from "./log/errors.ts";
export type { EventQuery } from "./log/feed/follow.ts";
export type { Log } from "./log/log.ts";
export { dataDirectory, type OpenLogOptions, openLog } from "./log/open.ts";
export type { CountsByState, RunQuery, RunStatus, StoredRun } from "./log/records.ts";
export { loop } from "./loop/loop-kind.ts";
export type { ProfileEntry, ProfileScope, Profiles } from "./options/config/profiles.ts";
export type { OptionLayer } from "./options/merge.ts";
export type { ApprovalAnswer, ApprovalCallback, AttachmentOption, InputCallback } from "./options/option-values.ts";
export type { RetryPolicy } from "./options/retry-policy.ts";
export type { SharedOptions } from "./options/run-options.gen.ts";
export type { Environment } from "./process/environment.ts";
export type { Budget, BudgetMeter, BudgetNotice } from "./run/budget-meter.ts";
export type { RunClock } from "./run/clock.ts";
export type { RewrittenModel } from "./run/govern.ts";
export type {
  AnswerOutcome,
  InteractionAnswer,
  InteractionChannel,
  PendingInteraction,
} from "./run/interaction-channel.ts";
export type { EventFor, Listenable } from "./run/listenable.ts";
export type { ObservedRun, QuestionVerdict, RunControl, RunObserver, RunStart, UserInput } from "./run/observer.ts";
export type { PromptMoment } from "./run/prompt-queue.ts";
/** What `client.run` returns. The specification of the SDK calls it `RunHandle`. */
export type { Run, Run as RunHandle } from "./run/run.ts";
export type { RunError, RunResult } from "./run/run-result.ts";
export { type RunState, transitions as runTransitions } from "./run/run-state.ts";
export type { Observer, PreparedRun, Runner, RunnerOptions } from "./run/runner.ts";
export type { RecordOptions, RecordTo } from "./runtime/execution/record-runs.ts";
export { RecordingError } from "./runtime/recorder/recording-error.ts";
