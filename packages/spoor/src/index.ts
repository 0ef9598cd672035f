// Projects without `types: ["node"]` get the types of Node that these declarations use.
/// <reference types="node" preserve="true" />

export * from "@spoor/protocol";
export type * from "./agents/about.ts";
export type {
  Ability,
  Adapter,
  Answer,
  Attachment,
  Dialect,
  Driver,
  Frame,
  Launch,
  LaunchRequest,
  LiveWire,
  Machine,
  McpServer,
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
export type { FileFact, McpTool, Signal, ToolEnd } from "./agents/signal.ts";
export { type Auth, createAuth } from "./mux/auth/index.ts";
export type { AuthSign, AuthState } from "./mux/auth/state.ts";
export { type Capabilities, capabilitiesOf } from "./mux/capabilities.ts";
export { type Client, type ClientOptions, createClient, type RunOptions } from "./mux/client.ts";
export { type Detected, type DetectOptions, detect } from "./mux/detect.ts";
export { type ErrorInfo, errorTable } from "./mux/error-table.ts";
export { CapabilityError, type Problem, SpoorError, ValidationError } from "./mux/errors.ts";
export type { InteractionChannel, PendingInteraction, Response } from "./mux/interaction-channel.ts";
export type { CatalogModel } from "./mux/models/catalog.ts";
export type { ModelUsage } from "./mux/models/cost.ts";
export { createModels, type Models } from "./mux/models/index.ts";
export type { ModelCheck } from "./mux/models/validate.ts";
export { type ParseOptions, parse } from "./mux/parse.ts";
export { createPlugins, type Plugins } from "./mux/plugins/index.ts";
export type { InstalledPlugin } from "./mux/plugins/list.ts";
export type { PromptMoment } from "./mux/prompt-queue.ts";
export type { RetryPolicy } from "./mux/retry.ts";
export type { RunHandle } from "./mux/run-handle.ts";
export { type ExitReason, exitReasons, type RunResult } from "./mux/run-result.ts";
export { type RunState, transitions as runTransitions } from "./mux/run-state.ts";
export type { ExportFormat } from "./mux/sessions/export.ts";
export type { SessionFilters } from "./mux/sessions/filters.ts";
export { createSessions, type Sessions } from "./mux/sessions/index.ts";
export type { SessionMatch } from "./mux/sessions/search.ts";
export type { Session, SessionSummary } from "./mux/sessions/session.ts";
export type { CostFilters, CostGroup, TotalCost } from "./mux/sessions/total.ts";
export type { SessionChange, WatchOptions } from "./mux/sessions/watch.ts";
export type { FieldProblem } from "./mux/settings/check.ts";
export {
  type Config,
  type ConfigOptions,
  createConfig,
  type FieldPath,
  type ScopeOptions,
} from "./mux/settings/index.ts";
export type { ConfiguredMcpServer, NewMcpServer } from "./mux/settings/mcp.ts";
