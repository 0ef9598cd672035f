import type { CostRecord } from "@spoor/protocol";
import { readEnvelopes } from "../../log/envelopes.ts";
import type { Log } from "../../log/log.ts";
import type { StoredRun } from "../../log/records.ts";

/** How the run of a subagent ended. */
export interface ChildEnd {
  /** What it said last. */
  answer: string;
  /** Set if it failed. */
  error?: string;
  outcome?: "cancelled";
  cost?: CostRecord;
}

/** Reads the end of a run that is over. */
export async function endOfChild(log: Log, { run_id, status }: StoredRun): Promise<ChildEnd> {
  let answer = "";
  let error = "";
  let cost: CostRecord | undefined;
  for await (const { type, data } of readEnvelopes(log, { run_id, match: (type) => types.has(type) })) {
    if (type === "assistant.text_complete") answer = String(data.text);
    else if (type === "session.ended") cost = costOf(data);
    else error = String(data.message ?? data.reason ?? "");
  }
  const told = { answer, ...(cost && { cost }) };
  if (status === "completed") return told;
  if (status === "cancelled") return { ...told, error: error || "It was cancelled.", outcome: "cancelled" };
  return { ...told, error: error || "It ended without an answer." };
}

const types: ReadonlySet<string> = new Set(["assistant.text_complete", "session.ended", "run.failed", "run.cancelled"]);

function costOf({
  total_usd,
  input_tokens,
  output_tokens,
  cost_source,
}: Record<string, unknown>): CostRecord | undefined {
  if (typeof total_usd !== "number" || typeof input_tokens !== "number" || typeof output_tokens !== "number")
    return undefined;
  const source = cost_source as CostRecord["source"];
  return { totalUsd: total_usd, inputTokens: input_tokens, outputTokens: output_tokens, ...(source && { source }) };
}
