// `spoor/runtime`: record runs, answer and stop them, run tasks, judge actions by rules, apply and revert patches; redact,
// prune, export and verify runs, and read raw lines again.
/// <reference types="node" preserve="true" />

export { ApprovalError, type ApprovalErrorCode } from "./approvals/approval-error.ts";
export {
  type Resolution,
  type Resolved,
  type ResolvedRun,
  type ResolvingLog,
  resolveApproval,
} from "./approvals/resolve.ts";
export type { ChangeContext } from "./artifacts/change.ts";
export type { Asked } from "./artifacts/change-events.ts";
export { type Collected, collectBlobs } from "./artifacts/collect.ts";
export { type CurrentFile, currentFile } from "./artifacts/current-file.ts";
export { ArtifactError, type ArtifactErrorCode, type FileConflict } from "./artifacts/errors.ts";
export { artifactsOfRun } from "./artifacts/find.ts";
export type { RequestKey } from "./artifacts/journal.ts";
export { type ArtifactRow, artifactJson } from "./artifacts/record.ts";
export { type Recovered, recoverPending } from "./artifacts/recover.ts";
export {
  applyPatch,
  applyRun,
  type PatchChange,
  type RunRequest,
  rejectPatch,
  revertPatch,
  revertRun,
} from "./artifacts/requests.ts";
export { type RunDiff, type RunDiffOptions, runDiff } from "./artifacts/run-diff.ts";
export { readBlob } from "./artifacts/store.ts";
export type { StepListener } from "./artifacts/write-files.ts";
export { type TaskCost, taskCost } from "./budgets/task-cost.ts";
export { exportBundle, exportTo } from "./bundle/export.ts";
export type { BundleFooter, BundleHeader } from "./bundle/format.ts";
export { type BundleVerdict, verifyBundle } from "./bundle/verify.ts";
export { Caretaker, type CaretakerOptions } from "./caretaker.ts";
export { CommandError, type CommandErrorCode } from "./commands/command-error.ts";
export { type CommandKind, type CommandRequest, type SentCommand, sendCommand } from "./commands/send.ts";
export { waitForCommand } from "./commands/wait.ts";
export type { DecidedElsewhere, ToldElsewhere } from "./execution/door.ts";
export { executeAgentRun } from "./execution/execute-agent-run.ts";
export type { ExecutionOptions } from "./execution/execution.ts";
export { type RecordOptions, type RecordTo, recordRuns } from "./execution/record-runs.ts";
export type { Judge, RuleOptions } from "./execution/rules.ts";
export type { Refusal } from "./lifecycle/status.ts";
export {
  type DecidingRule,
  type Decision,
  type Hook,
  type HookDecision,
  type HookEvent,
  type HookOutcome,
  type Hooks,
  type HooksResult,
  loadPolicy,
  type ModelRewrite,
  type PartVerdict,
  type Policy,
  type PolicyAction,
  type PolicyOptions,
  preparePolicy,
  type RuleSource,
  type RunHooksOptions,
  runHooks,
  type Subject,
  type Verdict,
  withHooks,
} from "./policy/index.ts";
export type { ApprovalTerms, AskingRule } from "./projections/approval-request.ts";
export type { FoldedEvent, RunFactsFold } from "./projections/run-facts.ts";
export type {
  Execution,
  Executor,
  Executors,
  LaunchedProcess,
  Launcher,
  OfferedKind,
  PreparedDemo,
  ProcessControls,
} from "./queue/executor.ts";
export type { LeaseClock } from "./queue/lease.ts";
export { Worker, type WorkerOptions } from "./queue/worker.ts";
export { type ReconcileOptions, reconcile } from "./reconcile.ts";
export { type RunSource, recordRun } from "./record-run.ts";
export type { TakenCommand } from "./recorder/acknowledgements.ts";
export type { AskedCall, CallHooks, EndedCall, HookAnswer } from "./recorder/call-hooks.ts";
export type { ChangeDrafts, ChangePlace, ChangeSource, StoredPatch, ToldChange } from "./recorder/change-source.ts";
export type { AddedFields, ContentSource, KeptContents, NamedAttachment } from "./recorder/content-source.ts";
export type { OwnEvent } from "./recorder/opening.ts";
export type { Added, Outbox, Written } from "./recorder/outbox.ts";
export { type Recorded, Recorder, type RecorderOptions } from "./recorder/recorder.ts";
export type { RecorderLog } from "./recorder/recorder-log.ts";
export { RecordingError } from "./recorder/recording-error.ts";
export type { RunWriter } from "./recorder/run-writer.ts";
export type { ReadableLog, StoredLines } from "./recorder/stored-lines.ts";
export type { TakenUpRun } from "./recorder/taken-up.ts";
export { Recording, type RecordingOptions } from "./recording/recording.ts";
export { openTarget, type RecordingTarget, targetOf } from "./recording/target.ts";
export type { Successor } from "./recovery/end-run.ts";
export type { LossReason, RecoverOptions } from "./recovery/recover.ts";
export type { FoundSecret } from "./redaction/found.ts";
export type { Decided, HeldText } from "./redaction/held-text.ts";
export type { RecordedParts } from "./redaction/hide-parts.ts";
export { createRedactor, type EventRedactor, type GivenSecret, type Redactor } from "./redaction/index.ts";
export type { RedactionStream, Scanner } from "./redaction/scanner.ts";
export { type ProducerService, type ServeProducersOptions, serveProducers } from "./relay/serve-producers.ts";
export { type Renormalized, type RenormalizeOptions, renormalize } from "./renormalize.ts";
export type { Difference } from "./repair/differences.ts";
export type { OnProgress, ProjectedTable } from "./repair/rebuild.ts";
export { RepairError, type Repaired, type RepairOptions, repair } from "./repair/repair.ts";
export {
  applyRetention,
  type Pruning,
  planRetention,
  planRetentionOf,
  type RetentionPolicy,
  type RetentionSubject,
} from "./retention.ts";
export type { TaskKind } from "./specification/fields.ts";
export { type Continuation, readSpec, type TaskSpec } from "./specification/spec.ts";
export type { RunChanges } from "./tape/compare.ts";
export type { TaskContext } from "./tasks/context.ts";
export { createTask } from "./tasks/create.ts";
export { deleteTask } from "./tasks/delete.ts";
export type { KeyedRequest } from "./tasks/requests.ts";
export {
  createAndStart,
  type FollowUp,
  type FollowUpOptions,
  followUp,
  type StartOptions,
  startTask,
} from "./tasks/start.ts";
export { TaskError, type TaskErrorCode } from "./tasks/task-error.ts";
export { readRunCost } from "./usage/read-run-cost.ts";
export { readSteps } from "./usage/read-steps.ts";
export { readUsage, type UsageOptions } from "./usage/read-usage.ts";
