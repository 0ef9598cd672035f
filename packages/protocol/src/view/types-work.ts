import type { EnvelopeType } from "../envelope/catalog.ts";
import type { Usage } from "./types-totals.ts";

/** What the agent does: calls, commands, files, and what helps it. */

/**
 * - `proposed`: being written, or complete and not accepted yet.
 * - `waiting`: an approval for it is pending. Left for `running` when the last one is given.
 * - `running`: accepted, or seen to run.
 * - `blocked`: refused before it ran, by a rule or by the answer to its approval.
 * - the others are its end, as the agent or the runtime reported it.
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

export interface ToolView {
  readonly id: string;
  readonly name: string;
  /** What the tool does: `shell`, `edit`, `mcp`, …; `other` when unknown. */
  readonly kind: string;
  readonly state: ToolState;
  /** Absent as long as no event told it. */
  readonly turn?: number;
  /** The parsed input, once it is complete. */
  readonly input?: unknown;
  /** The input's JSON text so far, while it is written. */
  readonly inputText?: string;
  readonly output?: unknown;
  /** Set instead of `output` when its text passes the limit of a shell and the call's shells show it already. */
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

export interface ToolDetail {
  readonly type: EnvelopeType;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface OutputPiece {
  readonly stream: "stdout" | "stderr";
  readonly text: string;
}

/** A command. Its output is `head`, then `omittedBytes` that are not here, then `tail`. */
export interface ShellView {
  readonly toolCallId?: string;
  readonly command: string;
  readonly cwd?: string;
  readonly running: boolean;
  /** In order of arrival, both streams; all of the output while it is short. */
  readonly head: readonly OutputPiece[];
  readonly headBytes: number;
  readonly omittedBytes: number;
  readonly tail: readonly OutputPiece[];
  readonly tailBytes: number;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly exitCode?: number;
  readonly signal?: string;
  /** A limit of whoever ran the command cut the output; `omittedBytes` is our own. */
  readonly truncated: boolean;
  readonly durationMs?: number;
  readonly startedAt?: string;
  readonly endedAt?: string;
}

export type FileStatus = "proposed" | "applied" | "reverted";

export interface FileView {
  /** Empty as long as only the stored patch is known. */
  readonly path: string;
  readonly operation: "create" | "edit" | "write" | "append" | "delete";
  readonly status: FileStatus;
  readonly toolCallId?: string;
  readonly artifactId?: string;
  /** The event that holds the change. */
  readonly eventId?: string;
  readonly diff?: string;
  readonly diffBytes?: number;
  readonly bytesWritten?: number;
  readonly beforeExisted?: boolean;
  readonly autoApply?: boolean;
  readonly summary?: string;
  readonly at?: string;
  readonly appliedAt?: string;
  readonly revertedAt?: string;
  readonly revertedBy?: string;
  readonly reason?: string;
}

export interface ArtifactView {
  readonly id: string;
  readonly kind: string;
  readonly sizeBytes?: number;
  readonly summary?: string;
  readonly at?: string;
}

export interface ImageView {
  readonly mime: string;
  readonly turn: number;
  readonly base64?: string;
  readonly filePath?: string;
  readonly artifactId?: string;
  readonly at?: string;
}

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

export interface PluginView {
  readonly id: string;
  readonly name: string;
  readonly version?: string;
  readonly uses: number;
  /** Its last failure. */
  readonly error?: string;
}

export interface SkillView {
  readonly name: string;
  readonly source?: string;
  readonly uses: number;
}
