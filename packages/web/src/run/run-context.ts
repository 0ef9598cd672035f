import type { AgentControls } from "@spoor/protocol/client";
import { createContext, useContext } from "react";

/** What the rows of a conversation know of their run. It changes seldom, so that rows are not drawn again. */
export interface RunFacts {
  readonly runId: string;
  /** Whether all thoughts are shown. */
  readonly showsThoughts: boolean;
  readonly controls?: AgentControls | undefined;
  /** The folder of the run. */
  readonly workspace?: string | undefined;
  /** The page shows the run as it was, so nothing can be answered. */
  readonly isPast: boolean;
  readonly isOver: boolean;
  readonly canRetry: boolean;
  readonly canRetryFromTurn: boolean;
}

export const RunContext = createContext<RunFacts>({
  runId: "",
  showsThoughts: false,
  isPast: false,
  isOver: false,
  canRetry: false,
  canRetryFromTurn: false,
});

export const useRunFacts = (): RunFacts => useContext(RunContext);
