import { maybe, number, type Payload } from "../translator.ts";
import { changeParts, type LineCounts } from "./diff.ts";
import type { ToolOutput } from "./stream-event.ts";

/** A change of a file by a call, as output of that call. */
export interface Change {
  data: Payload;
  parts: ToolOutput[];
}

/** The changes of a run. A change holds its diff, or it names a stored patch, whose event counts the changed lines. */
export interface Changes {
  /** A call changed a file. */
  changed(type: string, data: Payload): Change | undefined;
  /** A patch was stored. */
  stored(data: Payload): Change | undefined;
}

export function createChanges(): Changes {
  /** Changes whose patch is not stored yet, and patches whose change is not told yet, by the id of the patch. */
  const changes = new Map<string, { type: string; data: Payload }>();
  const patches = new Map<string, LineCounts>();

  return {
    changed(type, data) {
      if (maybe(data, "tool_call_id") === undefined) return undefined;
      const id = maybe(data, "diff") === undefined ? maybe(data, "artifact_id") : undefined;
      const counts = id === undefined ? undefined : patches.get(id);
      if (id === undefined || counts) return { data, parts: changeParts(type, data, counts) };
      changes.set(id, { type, data });
      return undefined;
    },
    stored(data) {
      const id = maybe(data, "artifact_id");
      if (data.kind !== "patch" || id === undefined) return undefined;
      const counts = { added: number(data, "additions") ?? 0, removed: number(data, "deletions") ?? 0 };
      const change = changes.get(id);
      if (!change) patches.set(id, counts);
      changes.delete(id);
      return change && { data: change.data, parts: changeParts(change.type, change.data, counts) };
    },
  };
}
