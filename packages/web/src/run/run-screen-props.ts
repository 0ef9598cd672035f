import type { RunSnapshot } from "../live/run-snapshot.ts";

/** What every view of a run gets. */
export interface RunScreenProps {
  runId: string;
  snapshot: RunSnapshot;
}
