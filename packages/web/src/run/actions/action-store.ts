import { useSyncExternalStore } from "react";
import { createKeyedCell } from "../../ui/store.ts";
import type { ActionId } from "./availability.ts";
import { plainError } from "./plain-error.ts";

/** What became of an action: it is on its way, or why it failed. */
interface ActionState {
  readonly sending?: ActionId | undefined;
  /** What went wrong, in plain words. */
  readonly problem?: string | undefined;
}

/** Actions of all runs that this tab sent. The head, the dock and the rows of a run show the same. */
const states = createKeyedCell<ActionState>();
const idle: ActionState = {};

/** Does something with a run. One thing at a time; returns whether it was done. */
export async function perform(runId: string, action: ActionId, work: () => Promise<unknown>): Promise<boolean> {
  if (states.read(runId)?.sending !== undefined) return false;
  states.set(runId, { sending: action });
  try {
    await work();
    states.set(runId, undefined);
    return true;
  } catch (error) {
    states.set(runId, { problem: plainError(error) });
    return false;
  }
}

export const dismissProblem = (runId: string): void => states.set(runId, undefined);

/** What this tab does with a run at this moment. */
export const useActionState = (runId: string): ActionState =>
  useSyncExternalStore(states.subscribe, () => states.read(runId) ?? idle);
