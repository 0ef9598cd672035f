import type { FileChange } from "../workspace/snapshot.ts";
import type { Attribution } from "./attribute.ts";

/** A changed file, and who changed it. */
export interface FoundChange extends FileChange, Attribution {}

/** What was found at the end of a call, or between calls. */
export interface FoundChanges {
  changes: FoundChange[];
  /** The call that ended. */
  call?: { toolCallId: string; toolName: string; isMulti: boolean };
  /** What users should know: why changes may be missing. */
  notes: string[];
}
