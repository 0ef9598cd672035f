import type { EnvelopeData } from "../envelope/catalog.ts";
import type { Envelope } from "../envelope/envelope.ts";
import type {
  ApprovalView,
  AttachmentView,
  MessageView,
  PromptView,
  QuestionView,
  ThoughtView,
  TurnView,
} from "./types-talk.ts";
import type { RunBudget, RunCost, RunEnd, RunLimits } from "./types-totals.ts";
import type {
  ArtifactView,
  FileView,
  ImageView,
  PluginView,
  ShellView,
  SkillView,
  SubagentView,
  ToolView,
} from "./types-work.ts";

/**
 * What a run is doing, for a glance. Once its terminal event has come only the start of another turn moves it.
 *
 * - `idle`: nothing has begun. Entered by `run.created` and `run.queued`; left when work or a question comes.
 * - `working`: entered by `run.started`, `run.unpaused`, a turn, model output or a tool, and by the last answer when it
 *   was blocked. A turn that ended in order to run tools or to be tried again is still working.
 * - `blocked`: waits for a person: an approval, a question, permission to start, or a pause, which only a person ends.
 *   Wins over idle, working and done for as long as one of them is open; left for working (idle when the run had not
 *   begun) by the answer to the last.
 * - `done`: `run.finished`, `run.cancelled`, `session.ended`, or a turn that ended with its answer while the run waits
 *   for the next prompt. Left by new work.
 * - `error`: `run.failed`, a terminal error, a turn that failed for good. Wins over all others and stays until the next
 *   `turn.started`; an error the run can go on from does not lead here.
 */
export type RunViewState = "idle" | "working" | "blocked" | "done" | "error";

/** Where the run's record stands. */
export type RunViewStatus =
  | "created"
  | "queued"
  | "awaiting_approval"
  | "running"
  | "paused"
  | "completed"
  | "failed"
  | "cancelled";

/** Whether the run's terminal event has come. */
export const isOver = ({ status }: { readonly status: RunViewStatus }): boolean =>
  status === "completed" || status === "failed" || status === "cancelled";

/** All that is true of the run as a whole. Times are RFC 3339 as in `occurred_at`. */
export interface RunViewFacts {
  readonly runId?: string;
  readonly taskId?: string;
  readonly sessionId?: string;
  /** The agent's own session id. */
  readonly nativeSessionId?: string;
  /** The run whose subagent this run is. */
  readonly parentRunId?: string;
  /** The run this one continues. */
  readonly priorRunId?: string;
  readonly agent?: string;
  /** What executes the run: `agent`, `agent_loop`, … */
  readonly kind?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly workspacePath?: string;
  readonly state: RunViewState;
  readonly status: RunViewStatus;
  /** How the run ended, once it has. */
  readonly end?: RunEnd;
  /** Cursor: the last sequence taken in, -1 before the first. */
  readonly lastSequence: number;
  /** Time of the first event seen. */
  readonly createdAt?: string;
  /** When work was first seen. */
  readonly startedAt?: string;
  /** Time of the last event seen. */
  readonly updatedAt?: string;
  /** Number of the latest turn, from 1; 0 before the first. */
  readonly turn: number;
  /** The agent's list of things to do: the last one, whole. */
  readonly todos: readonly TodoView[];
  /** Instructions files the agent read at start-up. */
  readonly instructions: readonly string[];
  readonly cost: RunCost;
  readonly budget?: RunBudget;
  readonly limits: RunLimits;
  /** Lines of `debug` that were let go. */
  readonly debugOmitted: number;
}

export type TodoView = EnvelopeData<"tool.todo_write.updated">["todos"][number];

/**
 * What a screen shows of a run: plain JSON, and never changed once handed out. Items refer to each other by index, so
 * no object is keyed by a foreign id.
 */
export interface RunView extends RunViewFacts {
  /** Everything in the order it first appeared; `view[entry.kind][entry.index]` is the item. */
  readonly timeline: readonly TimelineEntry[];
  readonly prompts: readonly PromptView[];
  readonly attachments: readonly AttachmentView[];
  readonly turns: readonly TurnView[];
  readonly messages: readonly MessageView[];
  readonly thoughts: readonly ThoughtView[];
  readonly tools: readonly ToolView[];
  readonly shells: readonly ShellView[];
  readonly files: readonly FileView[];
  readonly approvals: readonly ApprovalView[];
  readonly questions: readonly QuestionView[];
  readonly subagents: readonly SubagentView[];
  readonly images: readonly ImageView[];
  readonly errors: readonly ErrorView[];
  readonly retries: readonly RetryView[];
  readonly gaps: readonly GapView[];
  /** Known events with no place of their own: model changes, compactions, the run's end, callers' events, … */
  readonly notes: readonly NoteView[];
  /** Envelopes of unknown type, as they came. */
  readonly opaque: readonly Envelope[];

  // Not on the timeline: what stands beside the work.
  readonly plugins: readonly PluginView[];
  readonly skills: readonly SkillView[];
  readonly artifacts: readonly ArtifactView[];
  /** The latest words of the adapter and stray output lines; the log has them all. */
  readonly debug: readonly DebugView[];
}

export type ListName = {
  [Name in keyof RunView]-?: Name extends keyof RunViewFacts ? never : Name;
}[keyof RunView];

export type TimelineKind = Exclude<ListName, "timeline" | "plugins" | "skills" | "artifacts" | "debug">;

export interface TimelineEntry {
  readonly kind: TimelineKind;
  readonly index: number;
  /** Index of the tool call it belongs to; a screen that draws it inside that call skips it here. */
  readonly tool?: number;
}

export interface ErrorView {
  /** The envelope's type. */
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  /** Whether it ends what the run was doing. */
  readonly fatal: boolean;
  readonly at?: string;
  /** The payload, for what is particular to the type. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface RetryView {
  readonly attempt?: number;
  readonly maxAttempts?: number;
  readonly reason: string;
  readonly delayMs?: number;
  readonly at?: string;
}

export interface GapView {
  readonly type: string;
  readonly reason?: string;
  readonly firstSequence?: number;
  readonly lastSequence?: number;
  /** How the run goes on, when it lost its worker. */
  readonly action?: string;
  readonly message?: string;
  readonly at?: string;
}

export interface NoteView {
  readonly type: string;
  readonly at?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface DebugView {
  readonly from: "verbose" | "info" | "warn" | "stdout" | "stderr";
  readonly text: string;
  readonly at?: string;
}
