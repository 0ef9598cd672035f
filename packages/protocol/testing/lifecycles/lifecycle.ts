import type { RunViewState, RunViewStatus } from "../../src/view/types.ts";
import type { Step } from "./steps.ts";

/** One way through the life of a run. */
export interface Lifecycle {
  /** The order of its events, for `orderProblem`. A run that takes this way through any door must match it. */
  readonly order: string;
  readonly steps: readonly Step[];
  /** What a list shows at the end. */
  readonly state: RunViewState;
  readonly status: RunViewStatus;
}
