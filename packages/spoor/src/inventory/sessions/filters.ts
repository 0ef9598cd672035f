import path from "node:path";
import { type Problem, ValidationError } from "../../failures/errors.ts";
import type { SessionSummary } from "./session.ts";

/** Of times, milliseconds; a session counts by when it was last written to. */
export interface SessionFilters {
  since?: number;
  until?: number;
  model?: string;
  /** Where it was held. */
  cwd?: string;
  /** At most this many, the newest. */
  limit?: number;
}

export function checkFilters({ limit, since, until }: SessionFilters): void {
  const problems: Problem[] = [];
  if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < 1)) {
    problems.push({ field: "limit", message: "limit takes a whole number from 1 on." });
  }
  for (const [field, time] of Object.entries({ since, until })) {
    if (time !== undefined && !Number.isFinite(time)) problems.push({ field, message: `${field} takes milliseconds.` });
  }
  if (problems.length > 0) throw new ValidationError(problems);
}

/** What can be told from outside: the rest needs no reading. */
export const isInTime = ({ updatedAt }: { updatedAt: number }, { since, until }: SessionFilters): boolean =>
  (since === undefined || updatedAt >= since) && (until === undefined || updatedAt <= until);

export const isWanted = ({ cwd, model }: Pick<SessionSummary, "cwd" | "model">, wanted: SessionFilters): boolean =>
  (wanted.model === undefined || model === wanted.model) &&
  (wanted.cwd === undefined || (cwd !== undefined && path.resolve(cwd) === path.resolve(wanted.cwd)));
