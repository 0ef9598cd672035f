import { stateOf } from "../../log/record-json.ts";
import { isOver, type StoredRun } from "../../log/records.ts";
import type { Liveness } from "../../runtime/list-runs.ts";
import { age } from "../output/format.ts";
import type { Role } from "../output/style.ts";

/** What a run does, as a mark, a word and a colour. The web page has the same words. */
export interface ShownState {
  mark: string;
  word: string;
  role?: Role;
}

export function stateShown(run: StoredRun, { alive, stalled }: Liveness, now: number = Date.now()): ShownState {
  if (run.status === "failed")
    return { mark: "✗", word: (run.error_code ?? "failed").toLowerCase().replaceAll("_", " "), role: "red" };
  if (run.status === "cancelled") return { mark: "■", word: "cancelled", role: "dim" };
  if (isOver(run)) return { mark: "✓", word: "done" };
  if (alive === false) return { mark: "✗", word: "process gone", role: "red" };
  if (run.cancelling) return { mark: "■", word: "cancelling", role: "dim" };
  if (run.pending || run.status === "awaiting_approval") return { mark: "▲", word: "needs you", role: "yellow" };
  if (run.paused) return { mark: "▲", word: "paused", role: "yellow" };
  if (stalled)
    return { mark: "◌", word: `silent ${age(now - (run.last_activity ?? run.updated_at))}`, role: "magenta" };
  if (run.status === "queued") return { mark: "◌", word: "queued", role: "dim" };
  const state = stateOf(run);
  if (state === "done") return { mark: "✓", word: "done" };
  if (state === "error") return { mark: "✗", word: "failed", role: "red" };
  return { mark: "◐", word: "working", role: "blue" };
}
