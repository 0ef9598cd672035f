import type { AgentEvent, AgentEventOf } from "@spoor/protocol";
import type { Effect } from "../../log/effects.ts";
import type { LogDraft } from "../../log/log.ts";

/** The run in which changes are told. */
export interface ChangePlace {
  run_id: string;
  task_id: string;
  turn_index: number;
  redact(text: string): string;
  /** Epoch milliseconds. */
  at: number;
}

/** An event by which an agent itself tells that a file changed. */
export type ToldChange = AgentEventOf<"file_create" | "file_write" | "file_patch" | "file_delete">;

export const isToldChange = (event: AgentEvent): event is ToldChange =>
  event.type === "file_create" ||
  event.type === "file_write" ||
  event.type === "file_patch" ||
  event.type === "file_delete";

/** What to write for the changes of a call, in the same commit as its end. */
export interface ChangeDrafts {
  drafts: readonly { type: string; data: Record<string, unknown> }[];
  effects: readonly Effect[];
  /** The stored patch of a change that the agent tells itself. */
  patchOf(event: ToldChange): StoredPatch | undefined;
}

/** Names the stored patch of a change. */
export interface StoredPatch {
  artifact_id: string;
  /** Whether there was such a file before. The agent may not know. */
  before_existed: boolean;
  /** All patches of the call, if it edits several files. */
  patch_artifact_ids?: readonly string[];
}

/** Names the stored patch in the events of a change that the agent told itself. */
export function withPatch(drafts: readonly LogDraft[], patch: StoredPatch): LogDraft[] {
  const { artifact_id, before_existed, patch_artifact_ids } = patch;
  return drafts.flatMap((draft) => {
    if (draft.type === "tool.file.patch") return [adding(draft, { artifact_id, before_existed })];
    if (draft.type === "tool.file.deleted") return [adding(draft, { artifact_id })];
    if (draft.type === "tool.edit.proposed" || draft.type === "tool.file_write.proposed") {
      // The same kind as in the event that follows the patch.
      const type = before_existed ? "tool.edit.proposed" : "tool.file_write.proposed";
      return [adding({ ...draft, type }, { patch_artifact_id: artifact_id })];
    }
    if (draft.type !== "tool.multi_edit.proposed" || !patch_artifact_ids) return [draft];
    // One announcement for the whole call: the first one.
    return patch_artifact_ids[0] === artifact_id ? [adding(draft, { patch_artifact_ids })] : [];
  });
}

const adding = (draft: LogDraft, fields: object): LogDraft => ({
  ...draft,
  json: JSON.stringify({ ...JSON.parse(draft.json), ...fields }),
});

/** Finds out which files the calls of an agent change. Its methods never throw: the run goes on without it. */
export interface ChangeSource {
  /** How it looks for changes, for `run.started`. */
  readonly kind: string;
  /** Begins to look, in the background. */
  start(): void;
  /**
   * Looks at the next event before it is written. If it returns a promise, the stream waits for that. `waiting` returns the
   * events that have arrived meanwhile.
   */
  look(
    event: AgentEvent,
    waiting: () => readonly AgentEvent[],
    place: () => ChangePlace,
  ): Promise<ChangeDrafts | undefined> | undefined;
  /** A call is about to run and waits for this: what changed before is not taken for its work. */
  beforeCall(runId: string, toolCallId: string): Promise<void>;
  /** What changed since the last call. */
  rest(place: () => ChangePlace): Promise<ChangeDrafts | undefined>;
  /** The run is over, and somebody waits. */
  hurry(): void;
  /** Ends everything that still runs. */
  close(): Promise<void>;
}

/** The calls that became ready and have not ended. */
export function openCallsOf(events: readonly AgentEvent[]): AgentEvent[] {
  const open = new Map<string, AgentEvent>();
  for (const event of events) {
    if (event.type === "tool_call_ready" || event.type === "mcp_tool_call_start") open.set(event.toolCallId, event);
    else if (/^(mcp_)?tool_(result|error)$/.test(event.type)) open.delete((event as { toolCallId: string }).toolCallId);
  }
  return [...open.values()];
}
