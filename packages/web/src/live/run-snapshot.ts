import type { RunSpans, RunView } from "@spoor/protocol";
import type { RunRecord } from "@spoor/protocol/client";

/** What screens know of one run. Unchanged items are the same objects in the next snapshot. */
export interface RunSnapshot {
  /** The row of the list, kept fresh. It comes first, so that the head can be drawn before any event was read. */
  readonly record?: RunRecord;
  readonly view: RunView;
  /** What the time of the run was spent on, from the same events as the view. */
  readonly spans?: RunSpans;
  /** `loading`: its events are being read. `ready`: everything up to now is shown. `missing`: there is no such run. */
  readonly state: "loading" | "ready" | "missing";
  /** The run is shown as it was, so many milliseconds after its beginning. Nothing can be done with it then. */
  readonly replay?: { readonly at: number };
}
