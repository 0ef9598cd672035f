import { useRunFacts } from "../run-context.ts";
import { useActionState } from "./action-store.ts";
import { useRunActions } from "./use-run-actions.ts";

/** Tries a failed run again, from its beginning. */
export function RetryButton() {
  const { runId, canRetry } = useRunFacts();
  const { retry } = useRunActions(runId);
  const { sending } = useActionState(runId);
  if (!canRetry) return null;
  return (
    <button type="button" className="btn small" disabled={sending !== undefined} onClick={() => void retry()}>
      {sending === "retry" ? "Starting…" : "Retry"}
    </button>
  );
}
