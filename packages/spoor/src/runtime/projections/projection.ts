import type { Effect } from "../../log/effects.ts";
import type { LogDraft } from "../../log/log.ts";

/** An event as projections see it: live before it is stored, or read back by `spoor repair`. */
export interface ProjectedEvent {
  type: string;
  data: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds. */
  at: number;
}

/** The facts of a run that do not change after its creation, and that projections need. */
export interface ProjectedRun {
  run_id: string;
  task_id: string;
  kind: string;
  /** Where it works. */
  workspace_path?: string | undefined;
}

/** Turns an event into changes of one table. It is pure, so live and rebuilt rows are the same. */
export type Projection = (event: ProjectedEvent, run: ProjectedRun) => Effect[];

export const eventOf = ({ type, json, timestamp }: LogDraft): ProjectedEvent => ({
  type,
  data: JSON.parse(json),
  at: timestamp,
});
