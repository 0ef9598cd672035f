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
 * What a run is doing, at a glance. After the terminal event, only the start of another turn changes the state.
 *
 * - `idle`: the run has not started. Entered by `run.created` and `run.queued`; left when work starts or a question is asked.
 * - `working`: entered by `run.started`, `run.unpaused`, a turn, model output or a tool, and by the last answer of a blocked
 *   run. A turn that ended in order to run tools or to be retried is still working.
 * - `blocked`: the run waits for a person: an approval, a question, permission to start, or a pause. Overrides idle, working
 *   and done while one of them is open. The answer to the last one leads to working, or to idle if the run has not started.
 * - `done`: `run.finished`, `run.cancelled`, `session.ended`, or a turn that ended with its answer while the run waits for
 *   the next prompt. Left when work continues.
 * - `error`: `run.failed`, a terminal error, or a turn that failed finally. Overrides all others until the next
 *   `turn.started`. A recoverable error does not lead here.
 */
export type RunViewState = "idle" | "working" | "blocked" | "done" | "error";

/** The status of the run's record. */
export type RunViewStatus =
  | "created"
  | "queued"
  | "awaiting_approval"
  | "running"
  | "paused"
  | "completed"
  | "failed"
  | "cancelled";

/** Whether the run has its terminal event. */
export const isOver = ({ status }: { readonly status: RunViewStatus }): boolean =>
  status === "completed" || status === "failed" || status === "cancelled";

/** The facts about the run as a whole. Times are RFC 3339, as in `occurred_at`. */
export interface RunViewFacts {
  readonly runId?: string;
  readonly taskId?: string;
  readonly sessionId?: string;
  /** The agent's own session id. */
  readonly nativeSessionId?: string;
  /** The version of the agent, if it reports one. */
  readonly agentVersion?: string;
  /** The parent run, if this run is a subagent's. */
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
  /** How the run ended; absent until then. */
  readonly end?: RunEnd;
  /** The cursor: the last applied sequence, -1 before the first. */
  readonly lastSequence: number;
  /** Time of the first event seen. */
  readonly createdAt?: string;
  /** When the run started to work. */
  readonly startedAt?: string;
  /** Time of the last event seen. */
  readonly updatedAt?: string;
  /** Number of the latest turn, from 1; 0 before the first. */
  readonly turn: number;
  /** The agent's latest to-do list. */
  readonly todos: readonly TodoView[];
  /** Instructions files the agent read at start-up. */
  readonly instructions: readonly string[];
  readonly cost: RunCost;
  readonly budget?: RunBudget;
  readonly limits: RunLimits;
  /** Number of lines dropped from `debug`. */
  readonly debugOmitted: number;
}

/** An item of the agent's to-do list. */
export type TodoView = EnvelopeData<"tool.todo_write.updated">["todos"][number];

/**
 * What a screen shows of a run. It is plain JSON and never changes after it was returned. Items refer to each other by
 * index, so no object has keys chosen by other programs.
 *
 * @example
 * ```ts
 * import type { RunView } from "@spoor/protocol";
 *
 * declare const view: RunView;
 * for (const { kind, index } of view.timeline) {
 *   if (kind === "messages") console.log(view.messages[index]?.text);
 *   if (kind === "tools") console.log(view.tools[index]?.name, view.tools[index]?.state);
 * }
 * ```
 */
export interface RunView extends RunViewFacts {
  /** Everything in the order of first appearance; `view[entry.kind][entry.index]` is the item. */
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
  /** Known events without a list of their own: model changes, compactions, the run's end, callers' events, … */
  readonly notes: readonly NoteView[];
  /** Envelopes of unknown type, unchanged. */
  readonly opaque: readonly Envelope[];

  // These lists are not on the timeline.
  readonly plugins: readonly PluginView[];
  readonly skills: readonly SkillView[];
  readonly artifacts: readonly ArtifactView[];
  /** The latest debug messages and output lines that are not frames; the log contains all of them. */
  readonly debug: readonly DebugView[];
}

/** The name of a list in the view. */
export type ListName = {
  [Name in keyof RunView]-?: Name extends keyof RunViewFacts ? never : Name;
}[keyof RunView];

/** The name of a list whose items are on the timeline. */
export type TimelineKind = Exclude<ListName, "timeline" | "plugins" | "skills" | "artifacts" | "debug">;

/** A reference to one item of the view. */
export interface TimelineEntry {
  readonly kind: TimelineKind;
  readonly index: number;
  /** The first event of the item. Links to an item name it. */
  readonly sequence: number;
  /** Index of the tool call it belongs to; a screen that draws it inside that call skips it here. */
  readonly tool?: number;
}

/** An error of the run. */
export interface ErrorView {
  /** The type of the envelope. */
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  /** Whether the error ends the current work. */
  readonly fatal: boolean;
  readonly at?: string;
  /** The payload, for fields specific to the type. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** A retry of a failed model call. */
export interface RetryView {
  readonly attempt?: number;
  readonly maxAttempts?: number;
  readonly reason: string;
  readonly delayMs?: number;
  readonly at?: string;
}

/** A range of missing events, or a lost worker. */
export interface GapView {
  readonly type: string;
  readonly reason?: string;
  readonly firstSequence?: number;
  readonly lastSequence?: number;
  /** How the run continues after it lost its worker. */
  readonly action?: string;
  readonly message?: string;
  readonly at?: string;
}

/** A known event without a list of its own. */
export interface NoteView {
  readonly type: string;
  readonly at?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A debug message or an output line that is not a frame. */
export interface DebugView {
  readonly from: "verbose" | "info" | "warn" | "stdout" | "stderr";
  readonly text: string;
  readonly at?: string;
}
