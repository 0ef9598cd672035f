import { readEnvelopes } from "../../log/envelopes.ts";
import type { Log } from "../../log/log.ts";

/** The ids of the questions of a run that wait for a text, the oldest first. */
export async function openQuestions(log: Log, run_id: string): Promise<string[]> {
  const open = new Set<string>();
  for await (const { type, data } of readEnvelopes(log, { run_id, match: isAboutQuestions })) {
    const id = String(data.interaction_id);
    if (type === "input.requested") open.add(id);
    else open.delete(id);
  }
  return [...open];
}

const isAboutQuestions = (type: string): boolean => type === "input.requested" || type === "user.message";
