import path from "node:path";
import { type Problem, ValidationError } from "../../failures/errors.ts";
import type { SessionSummary } from "./session-summary.ts";

/** Times are epoch milliseconds. `since` and `until` compare with the time of the session's last write. */
export interface SessionFilters {
  since?: number;
  until?: number;
  model?: string;
  /** The working directory of the session. */
  cwd?: string;
  /** Return at most this many, the newest first. */
  limit?: number;
}

/** Throws a `ValidationError` when a filter has no valid value. */
export function checkFilters({ limit, since, until }: SessionFilters): void {
  const problems: Problem[] = [];
  if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < 1)) {
    problems.push({ field: "limit", message: "limit must be a whole number of at least 1." });
  }
  for (const [field, time] of Object.entries({ since, until })) {
    if (time !== undefined && !Number.isFinite(time))
      problems.push({ field, message: `${field} must be a time in epoch milliseconds.` });
  }
  if (problems.length > 0) throw new ValidationError(problems);
}

/** Filters by file time alone, so that files outside the range are never read. */
export const isInTime = ({ updatedAt }: { updatedAt: number }, { since, until }: SessionFilters): boolean =>
  (since === undefined || updatedAt >= since) && (until === undefined || updatedAt <= until);

/** Compares model and working directory with the filters. */
export const matchesFilters = (
  { cwd, model }: Pick<SessionSummary, "cwd" | "model">,
  filters: SessionFilters,
): boolean =>
  (filters.model === undefined || model === filters.model) &&
  (filters.cwd === undefined || (cwd !== undefined && path.resolve(cwd) === path.resolve(filters.cwd)));
