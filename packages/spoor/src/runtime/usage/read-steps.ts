import type { StepRecord } from "@spoor/protocol/api";
import { readEnvelopes } from "../../log/envelopes.ts";
import type { Log } from "../../log/log.ts";
import { StepsFold } from "./fold-steps.ts";

/**
 * Reads the steps of a run: its model calls (`turn-1`, `turn-2`, …) with their cost, and its tool calls by their id.
 *
 * @example
 * for (const { step_id, status, summary } of await readSteps(log, run_id)) console.log(step_id, status, summary);
 */
export async function readSteps(log: Log, run_id: string): Promise<StepRecord[]> {
  const fold = new StepsFold();
  for await (const envelope of readEnvelopes(log, { run_id, match: matters })) fold.add(envelope);
  return fold.steps();
}

/** The types of events that steps are made of. */
const matters = (type: string): boolean => TYPES.test(type);
const TYPES =
  /^(turn\.(started|failed|completed)|cost\.tick|assistant\.tool_call_proposed|policy\.tool_blocked|tool\.\w+|approval\.\w+)$/;
