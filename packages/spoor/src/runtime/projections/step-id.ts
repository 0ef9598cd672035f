/** The id of the step that a model call is. A tool call has its own id. */
export const modelStepId = (turn_index: unknown): string => `turn-${turn_index}`;

/** The last model call of a run, if it made one: whoever goes on from the run goes on after it. */
export const lastModelStep = ({ turns = 0 }: { turns?: number }): string | undefined =>
  turns > 0 ? modelStepId(turns) : undefined;
