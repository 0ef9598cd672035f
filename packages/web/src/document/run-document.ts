import type { RunSpans, RunView } from "@spoor/protocol";
import type { RunRecord } from "@spoor/protocol/client";

/** What the file of a run is written from. It is plain data: whoever writes the file has made it safe to share. */
export interface RunDocument {
  /** The row of the list. Some runs are named and have an agent only there. */
  readonly record?: RunRecord | undefined;
  readonly view: RunView;
  readonly spans: RunSpans;
  /** Everything that the run changed, as one diff. */
  readonly diff?: string | undefined;
  /** What is left out, one sentence each. */
  readonly omissions: readonly string[];
  /** The number of events of the run. */
  readonly events: number;
  /** The style sheet that was built with this renderer. */
  readonly style: string;
  /** The policy of the file allows this style sheet and this script only, by their hashes. */
  readonly hashOf: (text: string) => string;
}
