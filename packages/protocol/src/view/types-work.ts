import type { EnvelopeData, EnvelopeType } from "../envelope/catalog.ts";
import type { Usage } from "./types-totals.ts";

/** Tool calls, commands, files, subagents, plugins and skills. */

/**
 * The state of a tool call.
 *
 * - `proposed`: the model is writing the call, or it is complete and not accepted yet.
 * - `waiting`: an approval for it is pending. Becomes `running` when the last one is given.
 * - `running`: accepted, or seen to run.
 * - `blocked`: rejected before it ran, by a rule or by the answer to its approval.
 * - The others are the outcome that the agent or the runtime reported.
 */
export type ToolState =
  | "proposed"
  | "waiting"
  | "running"
  | "completed"
  | "failed"
  | "cancelled"
  | "timed_out"
  | "blocked";

/** A tool call. */
export interface ToolView {
  readonly id: string;
  readonly name: string;
  /** What the tool does: `shell`, `edit`, `mcp`, …; `other` when unknown. */
  readonly kind: string;
  readonly state: ToolState;
  /** Absent until an event names the turn. */
  readonly turn?: number;
  /** The parsed input, when it is complete. */
  readonly input?: unknown;
  /** The JSON text of the input so far, while the model writes it. */
  readonly inputText?: string;
  readonly output?: unknown;
  /** Set instead of `output` when its text exceeds the limit of a shell and the call's shells already show it. */
  readonly outputOmittedBytes?: number;
  readonly error?: string;
  readonly summary?: string;
  readonly durationMs?: number;
  readonly mcp?: { readonly server: string; readonly tool: string };
  readonly resultArtifactId?: string;
  readonly proposedAt?: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  /** Indexes into `shells`, `files` and `approvals` of the view. */
  readonly shells: readonly number[];
  readonly files: readonly number[];
  readonly approvals: readonly number[];
  /** Payloads of kind-specific events: what was read, searched, requested. */
  readonly details: readonly ToolDetail[];
}

/** The payload of an event specific to a kind of tool. */
export interface ToolDetail {
  readonly type: EnvelopeType;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A piece of a command's output. */
export interface OutputPiece {
  readonly stream: "stdout" | "stderr";
  readonly text: string;
}

/** A command. Its output is `head`, then `omittedBytes` bytes that were dropped, then `tail`. */
export interface ShellView {
  readonly toolCallId?: string;
  readonly command: string;
  readonly cwd?: string;
  readonly running: boolean;
  /** Both streams in order of arrival; the whole output while it is short. */
  readonly head: readonly OutputPiece[];
  readonly headBytes: number;
  readonly omittedBytes: number;
  readonly tail: readonly OutputPiece[];
  readonly tailBytes: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly exitCode?: number;
  readonly signal?: string;
  /** Whether the program that ran the command truncated the output. `omittedBytes` counts what this view dropped. */
  readonly truncated: boolean;
  readonly durationMs?: number;
  readonly startedAt?: string;
  readonly endedAt?: string;
}

/** The state of a file change. */
export type FileStatus = "proposed" | "applied" | "rejected" | "reverted" | "conflict";

/** A change of one file. */
export interface FileView {
  /** Empty while only the stored patch is known. */
  readonly path: string;
  readonly operation: "create" | "edit" | "write" | "append" | "delete";
  readonly status: FileStatus;
  readonly toolCallId?: string;
  readonly artifactId?: string;
  /** The event that contains the change. */
  readonly eventId?: string;
  readonly diff?: string;
  readonly diffBytes?: number;
  readonly bytesWritten?: number;
  readonly beforeExisted?: boolean;
  /** Lines added and removed: as the stored patch counts them, else as the diff or the content of a new file shows them. */
  readonly additions?: number;
  readonly deletions?: number;
  readonly autoApply?: boolean;
  readonly summary?: string;
  readonly at?: string;
  readonly appliedAt?: string;
  readonly revertedAt?: string;
  readonly revertedBy?: string;
  readonly reason?: string;
}

/** A stored artifact. */
export interface ArtifactView {
  readonly id: string;
  readonly kind: string;
  readonly sizeBytes?: number;
  readonly summary?: string;
  readonly toolCallId?: string;
  /** For a patch: the file, and the lines added and removed. */
  readonly path?: string;
  readonly additions?: number;
  readonly deletions?: number;
  /** Who made the change: the named call, one of several calls, or nobody in this run. */
  readonly attribution?: NonNullable<EnvelopeData<"artifact.created">["attribution"]>;
  readonly at?: string;
}

/** An image that the agent made. */
export interface ImageView {
  readonly mime: string;
  readonly turn: number;
  readonly base64?: string;
  readonly filePath?: string;
  readonly artifactId?: string;
  readonly at?: string;
}

/** A subagent and its result. */
export interface SubagentView {
  readonly id: string;
  readonly name: string;
  readonly status: "running" | "completed" | "failed" | "cancelled";
  readonly prompt?: string;
  readonly childRunId?: string;
  readonly summary?: string;
  readonly error?: string;
  readonly usage: Usage;
  readonly startedAt?: string;
  readonly endedAt?: string;
}

/** A plugin that the agent loaded. */
export interface PluginView {
  readonly id: string;
  readonly name: string;
  readonly version?: string;
  readonly uses: number;
  /** The last failure of the plugin. */
  readonly error?: string;
}

/** A skill that the agent loaded. */
export interface SkillView {
  readonly name: string;
  readonly source?: string;
  readonly uses: number;
}
