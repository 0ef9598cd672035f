import { readBeneath } from "./beneath.ts";
import type { FileState } from "./plan.ts";
import { revisionOf } from "./store.ts";
import type { PlannedWrite } from "./write-files.ts";

/** One file of a change. Revisions are absent where there is no file. */
export interface PendingFile {
  path: string;
  temporary: string;
  before?: PendingState;
  after?: PendingState;
}

interface PendingState {
  revision: string;
  mode: number;
}

const pendingState = (state: FileState): PendingState | undefined =>
  state && { revision: revisionOf(state.bytes), mode: state.mode };

export function pendingFile({ path, temporary, before, after }: PlannedWrite): PendingFile {
  const [old, next] = [pendingState(before), pendingState(after)];
  return { path, temporary, ...(old && { before: old }), ...(next && { after: next }) };
}

/** Where a file is on its way from before a change to after it. */
export async function placeOf(
  root: string,
  { path, before, after }: PendingFile,
): Promise<"before" | "after" | "other"> {
  let now: FileState;
  try {
    now = await readBeneath(root, path);
  } catch {
    return "other";
  }
  // A change of the mode alone leaves the content as it is.
  const modeMatters = before !== undefined && after !== undefined && before.mode !== after.mode;
  const is = (state: PendingFile["before"]): boolean => {
    if (!state || !now) return state === undefined && now === undefined;
    return revisionOf(now.bytes) === state.revision && (!modeMatters || (now.mode & 0o777) === (state.mode & 0o777));
  };
  if (is(after)) return "after";
  return is(before) ? "before" : "other";
}
