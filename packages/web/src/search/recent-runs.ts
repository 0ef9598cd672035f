import { useEffect } from "react";
import { stored } from "../ui/stored.ts";

const MOST = 6;

/** The runs that were opened last in this browser, the newest first. */
export const recentRuns = stored<readonly string[]>("recent-runs", parse, (ids) => JSON.stringify(ids));

function parse(text: string | null): readonly string[] {
  try {
    const ids: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string").slice(0, MOST) : [];
  } catch {
    return [];
  }
}

/** Remembers that a run was opened. */
export function useRecentRun(runId: string | undefined): void {
  useEffect(() => {
    if (runId === undefined) return;
    recentRuns.write([runId, ...recentRuns.read().filter((id) => id !== runId)].slice(0, MOST));
  }, [runId]);
}
