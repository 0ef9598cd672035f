import type { Log } from "../../log/log.ts";

/** What the log knows of a question besides the question itself. */
export interface QuestionFacts {
  rule?: string | undefined;
  /** Epoch milliseconds. */
  expiresAt?: number | undefined;
  /** Who asks, if that is not clear. */
  asker?: string | undefined;
}

export async function questionFactsOf(rows: Log["rows"], approval_id: string): Promise<QuestionFacts | undefined> {
  const row = await rows.find("approvals", approval_id);
  return row && { rule: row.rule ?? undefined, expiresAt: row.expires_at ?? undefined };
}
