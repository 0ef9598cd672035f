import type { Change, ChangedFile } from "./changed-files.ts";
import type { Verb } from "./patch-requests.ts";

/** What can be done with the chosen changes of a file. */
export interface Choices {
  /** The changes that each button is about. A button that has none is not shown. */
  readonly apply: readonly Change[];
  readonly reject: readonly Change[];
  readonly revert: readonly Change[];
  /** Why nothing can be done. */
  readonly why?: string;
}

/** `all`, or the key of one change. */
export type Selection = string;

/**
 * Whether the changes of a file are shown and decided together. If all of them are reverted there is nothing that they come
 * to, but each needs the one before it, so they are applied again together.
 */
export const areTogether = ({ changes, sum }: ChangedFile): boolean =>
  sum !== undefined || (changes.length > 1 && changes.every(({ patch, status }) => patch && status === "reverted"));

/** What is shown first: everything that happened to the file, or its one change. */
export const selectedChanges = ({ changes }: ChangedFile, selection: Selection): readonly Change[] => {
  const one = changes.find(({ key }) => key === selection);
  return one ? [one] : changes;
};

export function choicesOf(changes: readonly Change[]): Choices {
  const own = changes.filter(({ isOutside }) => !isOutside);
  const can = (verb: Verb) => own.filter((change) => verbsOf(change).includes(verb));
  const choices = { apply: can("apply"), reject: can("reject"), revert: can("revert") };
  const isEmpty = Object.values(choices).every((list) => list.length === 0);
  const why = isEmpty ? reasonOf(changes, own) : undefined;
  return { ...choices, ...(why && { why }) };
}

/** What can be done with one change. */
function verbsOf({ status, patch, approval, isOutside }: Change): readonly Verb[] {
  if (isOutside) return [];
  // Nobody permits what they have not wholly seen.
  if (approval) return approval.diff === undefined || approval.truncated ? [] : ["apply", "reject"];
  if (!patch || patch.revertible === false) return [];
  return verbsByStatus[status];
}

/** Whether one hunk of a change can be applied or reverted; undefined if neither. */
export function verbOfHunk(change: Change, hunk: number): "apply" | "revert" | undefined {
  if (!change.patch || change.isOutside || change.patch.revertible === false) return undefined;
  if (change.status === "applied") return change.patch.applied_hunks?.includes(hunk) ? "revert" : "apply";
  return change.status === "proposed" || change.status === "reverted" ? "apply" : undefined;
}

const verbsByStatus: Readonly<Record<Change["status"], readonly Verb[]>> = {
  proposed: ["apply", "reject"],
  applied: ["revert"],
  reverted: ["apply"],
  rejected: [],
  conflict: [],
};

function reasonOf(changes: readonly Change[], own: readonly Change[]): string | undefined {
  if (own.length === 0) return "Somebody else changed this file while the run worked.";
  if (changes.some(({ patch }) => patch?.revertible === false))
    return "The file is too large to keep, so the change cannot be taken back here.";
  if (own.every(({ patch, approval }) => !patch && !approval))
    return "Only what the agent told is known of this change, so it cannot be applied or reverted here.";
  return undefined;
}
