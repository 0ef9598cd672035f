import type { ReactNode } from "react";
import type { RunSnapshot } from "../live/run-snapshot.ts";
import { useRun } from "../live/use-run.ts";

interface WithRunsProps {
  ids: readonly string[];
  children: (snapshots: readonly RunSnapshot[]) => ReactNode;
}

/** Follows several runs, each as its own page does. */
export function WithRuns({ ids, children }: WithRunsProps) {
  const [first, ...rest] = ids;
  if (first === undefined) return children([]);
  return (
    <WithRun key={first} id={first}>
      {(own) => <WithRuns ids={rest}>{(others) => children([own, ...others])}</WithRuns>}
    </WithRun>
  );
}

function WithRun({ id, children }: { id: string; children: (snapshot: RunSnapshot) => ReactNode }) {
  return children(useRun(id));
}
